"""One established session as a machine without I/O, in four parts; ``proxy.session`` puts them together."""

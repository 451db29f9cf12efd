"""One established session as a machine without I/O, in four parts; ``rewright.proxy.session`` puts them together."""

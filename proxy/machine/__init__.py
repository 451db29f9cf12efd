"""One established session as a machine without I/O, in small parts; ``rewright.proxy.session`` puts them
together.
"""

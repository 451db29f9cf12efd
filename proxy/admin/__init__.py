"""The admin database: a name that clients may connect to behind which there is no server, but the proxy
itself.

It works while every server and the store are down. What it shows is what the relations show.
"""

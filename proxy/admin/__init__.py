"""The admin database: a database name behind which no server stands; the proxy itself answers.

It works even when every server and the store are down. It shows what the relations show.
"""

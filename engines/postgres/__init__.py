"""PostgreSQL: scratch servers of our own, and read-only sessions on other people's."""

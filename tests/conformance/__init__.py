"""Other people's test suites, run directly against PostgreSQL and through the proxy, and compared test by
test.

Owns fetching the suites, the servers they need, and comparing outcomes. Not part of `make test`: these take
long and download from the registries that pip, apt and npm are configured for.
"""

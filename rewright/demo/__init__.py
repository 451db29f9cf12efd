"""``rewright demo``: sample data, everything in one go, and a tour."""

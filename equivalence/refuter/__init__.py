"""Counterexamples: databases on which two queries differ, found by running both on PostgreSQL."""

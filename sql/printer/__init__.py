"""The printer behind `sql.printing`."""

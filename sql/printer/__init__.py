"""The printer behind `rewright.sql.printing`."""

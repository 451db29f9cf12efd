"""What is known of every table of a lake, profiled once and kept in one file."""

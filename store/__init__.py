"""The log book: rewrites with their evidence, timings, resolutions, lessons; schema and migrations."""

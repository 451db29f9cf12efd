"""Questions in plain language to SQL."""

"""Schema linking: from a question to the tables and columns that its query needs (APEX-SQL, section 3.2)."""

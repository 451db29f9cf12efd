"""Generation: a query made by exploring, refining, writing and confirming (APEX-SQL, section 3.3.2)."""

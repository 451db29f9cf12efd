"""The agents of the rewriter: reasoning, rewrite, assistant, decision, and the memory they share."""

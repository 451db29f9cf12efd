"""Language models behind one small interface: litellm, replay, none; budgets, transcripts, typed replies."""

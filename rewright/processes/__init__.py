"""The processes of ``rewright serve``: one supervisor, relay workers, the optimiser."""

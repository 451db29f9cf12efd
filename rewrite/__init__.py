"""The state machine of agents that finds faster equivalents; rules and search."""

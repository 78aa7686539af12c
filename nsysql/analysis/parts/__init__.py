"""Split a capture into parts (start-up, steady steps and the rest), and compute the facts about each for findings."""

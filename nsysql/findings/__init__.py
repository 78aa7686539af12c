"""What limits a run: the parts of a capture, and what is known about each."""

"""Sweeps over the events of a timeline: in which lane each is drawn, and what is too short to be drawn alone."""

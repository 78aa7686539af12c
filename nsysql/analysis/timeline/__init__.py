"""Prepare the events of a timeline: assign lanes, and merge events that are too short to be drawn alone."""

"""What a process did between its collectives: `stretches` accounts for the time on its GPU and on its thread."""

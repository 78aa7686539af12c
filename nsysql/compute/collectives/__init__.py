"""What a process did between its collectives: `stretches` books the time on its GPU and on its thread."""

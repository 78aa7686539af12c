"""Where in the source the time goes: GPU work, waits, idle time and CPU samples by line."""

"""Find the source line of each thread over time, and the idle time that passed there."""

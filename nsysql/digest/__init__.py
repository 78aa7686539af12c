"""What is kept of one capture, to compare it with others."""

"""Find steps: the loop that a program repeats, marked by NVTX ranges or by its sequence of launches."""

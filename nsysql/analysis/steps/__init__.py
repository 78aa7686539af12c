"""Find steps: the loop that a program repeats, marked by NVTX ranges or by its sequence of launches.

`series` finds them in every process; `nvtx_marks`, `phases` and `launch_sequence` are the methods; `launches` computes
when each step ran on each GPU.
"""

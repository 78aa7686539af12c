"""Damaged and hostile exports, made at random from a seed, and what every command makes of them.

`python -m tests.fuzz --count 100000 --seed 7` hunts; `--only 1234 --keep FOLDER` shows one export again.
"""

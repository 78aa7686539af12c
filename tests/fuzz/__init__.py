"""Damaged and hostile exports, made at random from a seed, and what every command makes of them.

A folder of Parquet or Arrow files, a DuckDB file and a SQLite file have one byte changed, too (`--form`).

`python -m tests.fuzz --count 100000 --seed 7` hunts; `--only 1234 --keep FOLDER` shows one export again.
"""

"""The page about many runs: a row for each, outliers, how much they differ, and when each was busy."""

"""The timeline: rows of GPUs and threads with what ran in them, as data that renderers draw."""

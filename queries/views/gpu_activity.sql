-- A piece of work that keeps a GPU busy: kernel, copy, set or whole graph run of some length.
--
-- Rows of no length do no work, and rows with start = end = 0 carry no timestamp: neither is activity.
-- Needs  gpu_work
SELECT *
FROM gpu_work
WHERE end_ns > start_ns

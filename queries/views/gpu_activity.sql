-- GPU activity: kernels, memcpys, memsets and CUDA graphs traced as a whole that have some length.
--
-- Rows of no length do no work, and rows with start = end = 0 carry no timestamp: neither is activity.
-- Needs  gpu_work
SELECT *
FROM gpu_work
WHERE end_ns > start_ns

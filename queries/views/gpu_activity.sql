-- GPU activity: kernels, memcpys, memsets and CUDA graphs traced as a whole, of non-zero length.
--
-- Rows of zero length do no work, and rows with start = end = 0 have no timestamp: both are left out.
-- Needs  gpu_work
-- Columns
--     gpu_work: kind, row_id, start_ns, end_ns, dur_ns, process_id, pid, device_id, gpu_id, context_id, stream_id
--     gpu_work: correlation_id, graph_node_id, bytes, blocks, name
SELECT *
FROM gpu_work
WHERE end_ns > start_ns

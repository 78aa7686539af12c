-- GPU work with the API call that launched it, joined by process and correlation id.
--
-- Work whose call was not recorded is left out. A call that launches several (a CUDA graph traced by nodes, a
-- batched copy) has a row for each. Correlation ids are unique only within a process; if several calls of one
-- process share an id, the first in the export's table is taken. Queue time is as in cuda_kern_exec_sum: from
-- the call's return to the start on the GPU, NULL if the work started before.
-- Needs  gpu_work, api_call
-- Columns
--     gpu_work: kind, row_id, start_ns, end_ns, dur_ns, process_id, pid, device_id, gpu_id, context_id, stream_id
--     gpu_work: correlation_id, graph_node_id, bytes, blocks, name
--     api_name        VARCHAR  -- The call's name.
--     api_start_ns    BIGINT   -- Start of the call.
--     api_end_ns      BIGINT   -- Return of the call.
--     api_dur_ns      BIGINT   -- Duration of the call.
--     thread_id       BIGINT   -- Thread of the call (globalTid).
--     tid             BIGINT   -- The operating system's thread number.
--     queue_start_ns  BIGINT   -- Return of the call; NULL if the work had started.
--     queue_dur_ns    BIGINT   -- From the return to the start on the GPU; NULL if the work had started.
SELECT
    gpu_work.*,
    _api_name.name AS api_name,
    call.start_ns AS api_start_ns,
    call.end_ns AS api_end_ns,
    call.end_ns - call.start_ns AS api_dur_ns,
    call.thread_id,
    tid_of(call.thread_id) AS tid,
    CASE WHEN gpu_work.start_ns >= call.end_ns THEN call.end_ns END AS queue_start_ns,
    CASE WHEN gpu_work.start_ns >= call.end_ns THEN gpu_work.start_ns - call.end_ns END AS queue_dur_ns
FROM gpu_work
INNER JOIN _correlated_call AS call
    ON gpu_work.process_id = call.process_id AND gpu_work.correlation_id = call.correlation_id
LEFT JOIN _api_name ON call.name_id = _api_name.id

-- A piece of GPU work with the API call that launched it, joined by process and correlation id.
--
-- Work whose call was not recorded is not here. A call that launches much (a CUDA graph traced by nodes,
-- a batched copy) has a row per piece. Correlation ids are unique within a process only. Queue time is as
-- in cuda_kern_exec_sum: from the call's return to the start on the GPU, NULL where the work started before.
-- Needs  gpu_work, api_call
-- Columns
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
    api_call.name AS api_name,
    api_call.start_ns AS api_start_ns,
    api_call.end_ns AS api_end_ns,
    api_call.dur_ns AS api_dur_ns,
    api_call.thread_id,
    api_call.tid,
    CASE WHEN gpu_work.start_ns >= api_call.end_ns THEN api_call.end_ns END AS queue_start_ns,
    CASE WHEN gpu_work.start_ns >= api_call.end_ns THEN gpu_work.start_ns - api_call.end_ns END AS queue_dur_ns
FROM gpu_work
INNER JOIN api_call
    ON
        gpu_work.process_id = api_call.process_id
        AND gpu_work.correlation_id = api_call.correlation_id

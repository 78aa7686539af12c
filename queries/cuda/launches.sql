-- GPU work with the API call that launched it: one row per kernel, memcpy, memset or CUDA graph traced as a whole.
--
-- Of all processes, in order of start. Joined by process and correlation id; work whose call was not recorded
-- has NULL in the call's columns. A call that launched several has a row for each. If several calls of a
-- process share a correlation id, which they should not, the export does not say which of them launched the
-- work: the first in its table is taken, and `suspect_rows` lists such calls. Queue time as in
-- cuda_kern_exec_sum: from the call's return to the start on the GPU; NULL if the work started before the call
-- returned. An interval includes work that runs in it, wherever its call is.
-- Needs  gpu_work
-- Columns
--     process         VARCHAR  -- Program of the process; NULL if the export does not say.
--     pid             BIGINT   -- Process.
--     thread          VARCHAR  -- Name of the calling thread.
--     tid             BIGINT   -- Calling thread.
--     api_name        VARCHAR  -- The call's function, shortened as `nsys stats` does.
--     launch: api_start_ns, api_dur_ns, queue_start_ns, queue_dur_ns, kind, name
--     usual: gpu_id, device_id, stream_id
--     launch: start_ns, dur_ns, bytes, graph_node_id, correlation_id
SELECT
    process.name AS process,
    work.pid,
    thread_name.name AS thread,
    tid_of(call.thread_id) AS tid,
    _api_name.name AS api_name,
    call.start_ns AS api_start_ns,
    call.end_ns - call.start_ns AS api_dur_ns,
    CASE WHEN work.start_ns >= call.end_ns THEN call.end_ns END AS queue_start_ns,
    CASE WHEN work.start_ns >= call.end_ns THEN work.start_ns - call.end_ns END AS queue_dur_ns,
    work.kind,
    work.name,
    work.gpu_id,
    work.device_id,
    work.stream_id,
    work.start_ns,
    work.dur_ns,
    work.bytes,
    work.graph_node_id,
    work.correlation_id
FROM gpu_work AS work
LEFT JOIN _unfiltered_correlated_call AS call
    ON work.process_id = call.process_id AND work.correlation_id = call.correlation_id
LEFT JOIN _api_name ON call.name_id = _api_name.id
LEFT JOIN _thread_name AS thread_name ON call.thread_id = thread_name.thread_id
LEFT JOIN process ON work.process_id = process.process_id
ORDER BY work.start_ns ASC, work.kind ASC, work.row_id ASC

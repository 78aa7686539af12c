-- CUDA graph launches traced as a whole: one row per launch.
--
-- Needs  CUPTI_ACTIVITY_KIND_GRAPH_TRACE
-- Columns
--     row_id            BIGINT  -- Position in the export's table.
--     memcpy: start_ns, end_ns, dur_ns, process_id, pid, device_id, gpu_id, context_id, green_context_id, stream_id
--     correlation_id    BIGINT  -- Shared with the graph launch of the process.
--     graph_id          BIGINT  -- The graph.
--     graph_exec_id     BIGINT  -- The executable graph.
SELECT
    run.rowid AS row_id,
    run.start AS start_ns,
    run."end" AS end_ns,
    run."end" - run.start AS dur_ns,
    run.globalPid AS process_id,
    pid_of(run.globalPid) AS pid,
    run.deviceId AS device_id,
    coalesce(gpu_device.gpu_id, run.deviceId) AS gpu_id,
    run.contextId AS context_id,
    nullif(run.greenContextId, 0) AS green_context_id,
    run.streamId AS stream_id,
    run.correlationId AS correlation_id,
    run.graphId AS graph_id,
    run.graphExecId AS graph_exec_id
FROM raw.CUPTI_ACTIVITY_KIND_GRAPH_TRACE AS run
LEFT JOIN gpu_device ON pid_of(run.globalPid) = gpu_device.pid AND run.deviceId = gpu_device.device_id

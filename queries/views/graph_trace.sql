-- CUDA graph launches traced as a whole: one row per launch.
--
-- Needs  CUPTI_ACTIVITY_KIND_GRAPH_TRACE
-- Columns
--     row_id            BIGINT  -- Position in the export's table.
--     start_ns          BIGINT  -- Start on the GPU.
--     end_ns            BIGINT  -- End on the GPU.
--     dur_ns            BIGINT  -- Duration.
--     process_id        BIGINT  -- Process (globalPid).
--     pid               BIGINT  -- The operating system's process number.
--     device_id         BIGINT  -- CUDA ordinal within the process.
--     gpu_id            BIGINT  -- Physical GPU (view gpu_device).
--     context_id        BIGINT  -- CUDA context.
--     green_context_id  BIGINT  -- Green context; NULL if none.
--     stream_id         BIGINT  -- CUDA stream.
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
LEFT JOIN gpu_device
    ON
        pid_of(run.globalPid) = gpu_device.pid
        AND run.deviceId = gpu_device.device_id

-- An allocation or a free: the bytes in use on its GPU, of its kind of memory, from then on.
--
-- Needs  gpu_memory_event
-- Parameters
--     gpu  BIGINT = NULL  -- Only this GPU.
-- Columns
--     gpu_id        BIGINT   -- Physical GPU.
--     kind          VARCHAR  -- Kind of memory.
--     start_ns      BIGINT   -- When.
--     change_bytes  BIGINT   -- Allocated; less than 0 if freed.
--     use_bytes     BIGINT   -- In use from then on.
--     pid           BIGINT   -- Process.
--     api_name      VARCHAR  -- The call; NULL for static variables and calls that were not recorded.
--     variable      VARCHAR  -- Static variable.
SELECT
    _memory_use.gpu_id,
    _memory_use.kind,
    _memory_use.start_ns,
    _memory_use.change_bytes,
    _memory_use.use_bytes,
    _memory_use.pid,
    _api_name.name AS api_name,
    _memory_use.variable
FROM _memory_use
LEFT JOIN _correlated_call AS call
    ON
        _memory_use.process_id = call.process_id
        AND _memory_use.correlation_id = call.correlation_id
LEFT JOIN _api_name ON call.name_id = _api_name.id
WHERE $gpu IS NULL OR _memory_use.gpu_id = $gpu
ORDER BY _memory_use.gpu_id ASC, _memory_use.kind ASC, _memory_use.place ASC

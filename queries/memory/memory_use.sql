-- An allocation or a free, with the bytes in use on its GPU, of its kind of memory, from then on.
--
-- If the interval begins later than the capture, a row with change_bytes 0 has the bytes in use then.
-- Needs  gpu_memory_event
-- Parameters
--     memory: gpu, start_ns, end_ns
-- Columns
--     gpu_id        BIGINT   -- Physical GPU.
--     kind          VARCHAR  -- Kind of memory.
--     start_ns      BIGINT   -- Time of the event.
--     change_bytes  BIGINT   -- Bytes allocated; negative if freed.
--     use_bytes     BIGINT   -- In use from then on.
--     pid           BIGINT   -- Process.
--     api_name      VARCHAR  -- The call; NULL for static variables and calls that were not recorded.
--     variable      VARCHAR  -- Static variable.
WITH event AS (
    SELECT *
    FROM _memory_use
    WHERE
        ($start_ns IS NULL OR start_ns >= $start_ns)
        AND ($end_ns IS NULL OR start_ns < $end_ns)
    UNION ALL BY NAME
    -- What is in use when the window begins.
    SELECT
        gpu_id,
        kind,
        greatest(start_ns, $start_ns) AS start_ns,
        place,
        use_bytes,
        0 AS change_bytes
    FROM _memory_use
    WHERE start_ns < $start_ns
    QUALIFY row_number() OVER (PARTITION BY gpu_id, kind ORDER BY place DESC) = 1
)

SELECT
    event.gpu_id,
    event.kind,
    event.start_ns,
    event.change_bytes,
    event.use_bytes,
    event.pid,
    _api_name.name AS api_name,
    event.variable
FROM event
LEFT JOIN _correlated_call AS call ON event.process_id = call.process_id AND event.correlation_id = call.correlation_id
LEFT JOIN _api_name ON call.name_id = _api_name.id
WHERE $gpu IS NULL OR event.gpu_id = $gpu
ORDER BY event.gpu_id ASC, event.kind ASC, event.place ASC

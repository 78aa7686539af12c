-- What was in use at the peak of a GPU and kind of memory, by the call or static variable.
--
-- The peak is that of `memory`: when most bytes were first in use at once.
-- Needs  gpu_memory_event
-- Parameters
--     gpu  BIGINT = NULL  -- Only this GPU.
-- Columns
--     gpu_id             BIGINT   -- Physical GPU.
--     kind               VARCHAR  -- Kind of memory.
--     peak_ns            BIGINT   -- Time of the peak.
--     pid                BIGINT   -- Process.
--     api_name           VARCHAR  -- Allocating call; NULL for static variables and calls that were not recorded.
--     variable           VARCHAR  -- Static variable.
--     bytes              BIGINT   -- In use.
--     peak_pct           DOUBLE   -- Share of the peak.
--     allocation_count   BIGINT   -- Allocations.
--     never_freed_count  BIGINT   -- Those that live to the end.
WITH peak AS (
    SELECT
        gpu_id,
        kind,
        arg_max(place, row(use_bytes, -place)) AS place,
        arg_max(start_ns, row(use_bytes, -place)) AS start_ns
    FROM _memory_use
    WHERE $gpu IS NULL OR gpu_id = $gpu
    GROUP BY gpu_id, kind
),

live AS (
    SELECT
        peak.start_ns AS peak_ns,
        allocation.*
    FROM peak
    INNER JOIN _memory_use AS allocation
        ON
            peak.gpu_id = allocation.gpu_id
            AND peak.kind = allocation.kind
            AND allocation.place <= peak.place
    LEFT JOIN _memory_use AS freed
        ON
            allocation.gpu_id = freed.gpu_id
            AND allocation.kind = freed.kind
            AND allocation.other_row_id = freed.row_id
    WHERE allocation.is_allocation AND (freed.place IS NULL OR freed.place > peak.place)
)

SELECT
    live.gpu_id,
    live.kind,
    live.peak_ns,
    live.pid,
    _api_name.name AS api_name,
    live.variable,
    sum(live.bytes)::BIGINT AS bytes,
    100 * sum(live.bytes) / nullif(sum(sum(live.bytes)) OVER (PARTITION BY live.gpu_id, live.kind), 0) AS peak_pct,
    count(*) AS allocation_count,
    count(*) FILTER (WHERE live.other_row_id IS NULL) AS never_freed_count
FROM live
LEFT JOIN _correlated_call AS call
    ON
        live.process_id = call.process_id
        AND live.correlation_id = call.correlation_id
LEFT JOIN _api_name ON call.name_id = _api_name.id
GROUP BY live.gpu_id, live.kind, live.peak_ns, live.pid, _api_name.name, live.variable
ORDER BY
    live.gpu_id ASC,
    live.kind ASC,
    bytes DESC,
    live.pid ASC,
    _api_name.name ASC,
    live.variable ASC

-- Memory in use at the peak of a GPU and kind of memory, or of a memory pool, by call, NVTX range and static variable.
--
-- The peak is that of `memory`, or with --by pool that of `memory_pools`: when most bytes were first in use at once.
-- Needs  gpu_memory_event
-- Parameters
--     memory: gpu, start_ns, end_ns
--     by        ENUM('kind', 'pool') = 'kind'  -- Peak of each kind of memory, or of each memory pool.
-- Columns
--     gpu_id             BIGINT   -- Physical GPU.
--     kind               VARCHAR  -- Kind of memory.
--     pool               VARCHAR  -- Address of the memory pool; NULL by kind.
--     peak_ns            BIGINT   -- Time of the peak.
--     pid                BIGINT   -- Process.
--     api_name           VARCHAR  -- Allocating call; NULL for static variables and calls that were not recorded.
--     nvtx_range         VARCHAR  -- Innermost NVTX range around the start of the call, as domain:text; NULL if none.
--     variable           VARCHAR  -- Static variable.
--     bytes              BIGINT   -- In use.
--     peak_pct           DOUBLE   -- Share of the peak.
--     allocation_count   BIGINT   -- Allocations.
--     never_freed_count  BIGINT   -- Allocations that live to the end.
WITH border AS (
    SELECT
        thread_id,
        start_ns AS at_ns,
        row_id AS range_row_id,
        level,
        true AS is_start
    FROM nvtx_range_parent
    WHERE end_ns > start_ns
    UNION ALL
    SELECT
        thread_id,
        end_ns AS at_ns,
        coalesce(parent_row_id, -1) AS range_row_id,
        level,
        false AS is_start
    FROM nvtx_range_parent
    WHERE end_ns > start_ns
),

innermost AS (
    SELECT
        thread_id,
        at_ns,
        coalesce(
            arg_max(range_row_id, level) FILTER (WHERE is_start),
            arg_min(range_row_id, level)
        ) AS range_row_id
    FROM border
    GROUP BY thread_id, at_ns
),

event AS (
    SELECT * EXCLUDE (pool_address)
    FROM _memory_use
    WHERE $by = 'kind'
    UNION ALL BY NAME
    SELECT
        *,
        process_id AS pool_process_id
    FROM _pool_use
    WHERE $by = 'pool'
),

-- Bytes in use when the interval begins count as an event then: the last one before it.
candidate AS (
    SELECT
        * REPLACE (greatest(start_ns, $start_ns) AS start_ns),
        lead(start_ns) OVER (
            PARTITION BY gpu_id, CASE WHEN $by = 'kind' THEN kind END, pool_process_id, pool_address, created_ns
            ORDER BY place
        ) AS next_ns
    FROM event
    WHERE $end_ns IS NULL OR start_ns < $end_ns
    QUALIFY $start_ns IS NULL OR coalesce(next_ns, $start_ns) >= $start_ns
),

peak AS (
    SELECT
        gpu_id,
        CASE WHEN $by = 'kind' THEN kind END AS kind,
        pool_process_id,
        pool_address,
        created_ns,
        arg_max(place, row(use_bytes, -place)) AS place,
        arg_max(start_ns, row(use_bytes, -place)) AS start_ns
    FROM candidate
    WHERE $gpu IS NULL OR gpu_id = $gpu
    GROUP BY ALL
),

live AS (
    SELECT
        peak.start_ns AS peak_ns,
        allocation.*
    FROM peak
    INNER JOIN event AS allocation
        ON
            peak.gpu_id = allocation.gpu_id
            AND coalesce(peak.kind = allocation.kind, true)
            AND peak.pool_process_id IS NOT DISTINCT FROM allocation.pool_process_id
            AND peak.pool_address IS NOT DISTINCT FROM allocation.pool_address
            AND peak.created_ns IS NOT DISTINCT FROM allocation.created_ns
            AND allocation.place <= peak.place
    LEFT JOIN event AS freed ON allocation.gpu_id = freed.gpu_id AND allocation.other_row_id = freed.row_id
    WHERE allocation.is_allocation AND (freed.place IS NULL OR freed.place > peak.place)
)

SELECT
    live.gpu_id,
    live.kind,
    '0x' || lower(to_hex(live.pool_address)) AS pool,
    live.peak_ns,
    live.pid,
    _api_name.name AS api_name,
    nvtx_range.name AS nvtx_range,
    live.variable,
    sum(live.bytes)::BIGINT AS bytes,
    100 * sum(live.bytes) / nullif(sum(sum(live.bytes)) OVER of_peak, 0) AS peak_pct,
    count(*) AS allocation_count,
    count(*) FILTER (WHERE live.other_row_id IS NULL) AS never_freed_count
FROM live
LEFT JOIN _correlated_call AS call ON live.process_id = call.process_id AND live.correlation_id = call.correlation_id
LEFT JOIN _api_name ON call.name_id = _api_name.id
ASOF LEFT JOIN innermost ON call.thread_id = innermost.thread_id AND call.start_ns >= innermost.at_ns
LEFT JOIN nvtx_range ON innermost.range_row_id = nvtx_range.row_id
GROUP BY
    live.gpu_id,
    live.kind,
    live.pool_process_id,
    live.pool_address,
    live.created_ns,
    live.peak_ns,
    live.pid,
    _api_name.name,
    nvtx_range.name,
    live.variable
WINDOW
    of_peak AS (
        PARTITION BY
            live.gpu_id,
            CASE WHEN $by = 'kind' THEN live.kind END,
            live.pool_process_id,
            live.pool_address,
            live.created_ns
    )
ORDER BY
    live.gpu_id ASC,
    live.kind ASC,
    live.pool_process_id ASC,
    live.pool_address ASC,
    live.created_ns ASC NULLS FIRST,
    bytes DESC,
    live.pid ASC,
    _api_name.name ASC,
    nvtx_range.name ASC,
    live.variable ASC

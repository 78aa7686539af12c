-- A CUDA memory pool: peak bytes allocated from it, the GPU memory it reserved, and bytes still allocated at the end.
--
-- Pools serve cudaMallocAsync and cudaMallocFromPoolAsync. Bytes in use are those allocated from the pool since the
-- capture began and not yet freed. Reserved bytes are the GPU memory that the pool holds according to CUDA: the part not
-- in use is available only to the pool's own allocations. Use at the peak, by call and NVTX range: memory_at_peak --by
-- pool.
-- Needs  gpu_memory_event or memory_pool_event
-- Parameters
--     memory: gpu, start_ns, end_ns
-- Columns
--     gpu_id                   BIGINT   -- Physical GPU.
--     pid                      BIGINT   -- Process.
--     pool                     VARCHAR  -- Address of the pool.
--     created_ns               BIGINT   -- When it was created; NULL if before the capture.
--     destroyed_ns             BIGINT   -- When it was destroyed; NULL if not.
--     is_imported              BOOLEAN  -- Imported from another process; NULL if its creation is not recorded.
--     memory: peak_bytes, peak_ns
--     live_count               BIGINT   -- Allocations in use at the peak.
--     end_bytes                BIGINT   -- In use at the end.
--     reserved_peak_bytes      BIGINT   -- Most GPU memory that the pool reserved; NULL if not recorded.
--     reserved_end_bytes       BIGINT   -- Bytes reserved after the last event that records them.
--     release_threshold_bytes  BIGINT   -- Bytes that it keeps when trimmed, from the last event that records them.
--     trim_count               BIGINT   -- Times that it was trimmed.
--     memory: allocation_count, allocated_bytes, never_freed_count, churn_bytes, med_life_ns
WITH made AS (
    SELECT
        process_id,
        pool_address,
        start_ns
    FROM memory_pool_event
    WHERE operation = 'created'
),

pool_event AS (
    SELECT
        event.*,
        made.start_ns AS created_ns
    FROM memory_pool_event AS event
    ASOF LEFT JOIN made
        ON
            event.process_id = made.process_id
            AND event.pool_address = made.pool_address
            AND event.start_ns >= made.start_ns
),

event AS (
    SELECT *
    FROM pool_event
    UNION ALL BY NAME
    SELECT
        *,
        other_ns - start_ns AS life_ns
    FROM _pool_use
),

-- The last row of each pool before the interval has the bytes in use, and reserved, when it begins.
seen AS (
    SELECT
        *,
        other_row_id IS NOT NULL AND ($end_ns IS NULL OR start_ns + life_ns < $end_ns) AS is_over
    FROM event
    WHERE
        ($gpu IS NULL OR gpu_id = $gpu)
        AND ($start_ns IS NULL OR start_ns >= $start_ns)
        AND ($end_ns IS NULL OR start_ns < $end_ns)
    UNION ALL BY NAME
    SELECT
        gpu_id,
        process_id,
        pid,
        pool_address,
        created_ns,
        $start_ns::BIGINT AS start_ns,
        max(place) AS place,
        arg_max(use_bytes, place) AS use_bytes,
        arg_max(live_count, place) AS live_count,
        arg_max(pool_size_bytes, start_ns) FILTER (WHERE pool_size_bytes IS NOT NULL) AS pool_size_bytes,
        arg_max(release_threshold_bytes, start_ns)
        FILTER (WHERE release_threshold_bytes IS NOT NULL) AS release_threshold_bytes,
        bool_or(is_imported) AS is_imported
    FROM event
    WHERE start_ns < $start_ns AND ($gpu IS NULL OR gpu_id = $gpu)
    GROUP BY gpu_id, process_id, pid, pool_address, created_ns
    HAVING count(*) FILTER (WHERE operation = 'destroyed') = 0
)

SELECT
    gpu_id,
    pid,
    '0x' || lower(to_hex(pool_address)) AS pool,
    created_ns,
    min(start_ns) FILTER (WHERE operation = 'destroyed') AS destroyed_ns,
    bool_or(is_imported) AS is_imported,
    coalesce(max(use_bytes), 0) AS peak_bytes,
    arg_max(start_ns, row(use_bytes, -place)) FILTER (WHERE place IS NOT NULL) AS peak_ns,
    coalesce(arg_max(live_count, row(use_bytes, -place)) FILTER (WHERE place IS NOT NULL), 0) AS live_count,
    coalesce(arg_max(use_bytes, place), 0) AS end_bytes,
    max(pool_size_bytes) AS reserved_peak_bytes,
    arg_max(pool_size_bytes, start_ns) FILTER (WHERE pool_size_bytes IS NOT NULL) AS reserved_end_bytes,
    arg_max(release_threshold_bytes, start_ns)
    FILTER (WHERE release_threshold_bytes IS NOT NULL) AS release_threshold_bytes,
    count(*) FILTER (WHERE operation = 'trimmed') AS trim_count,
    count(*) FILTER (WHERE is_allocation) AS allocation_count,
    coalesce(sum(bytes) FILTER (WHERE is_allocation), 0)::BIGINT AS allocated_bytes,
    count(*) FILTER (WHERE is_allocation AND NOT is_over) AS never_freed_count,
    coalesce(sum(bytes) FILTER (WHERE is_allocation AND is_over), 0)::BIGINT AS churn_bytes,
    median(life_ns) FILTER (WHERE is_allocation) AS med_life_ns
FROM seen
GROUP BY gpu_id, process_id, pid, pool_address, created_ns
ORDER BY gpu_id ASC, peak_bytes DESC, process_id ASC, pool_address ASC, created_ns ASC NULLS FIRST

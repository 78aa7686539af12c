-- A GPU and kind of memory: the peak, the bytes in use at the end, and those allocated and freed again.
--
-- Bytes in use are those allocated since the capture began, also before the interval, and not yet freed; earlier
-- allocations are not known. A caching allocator, such as PyTorch's, seldom calls CUDA; this is what it allocated, not
-- what the program uses of it. By step: memory_by_step.
-- Needs  gpu_memory_event
-- Parameters
--     gpu       BIGINT = NULL  -- Only this GPU.
--     start_ns  BIGINT = NULL  -- Start of the interval to analyze; what is in use then counts.
--     end_ns    BIGINT = NULL  -- End of the interval to analyze.
-- Columns
--     gpu_id                BIGINT   -- Physical GPU.
--     kind                  VARCHAR  -- Kind of memory; Pinned is on the host.
--     peak_bytes            BIGINT   -- Most bytes in use at once.
--     peak_ns               BIGINT   -- When the peak was first reached.
--     end_bytes             BIGINT   -- In use at the end.
--     allocation_count      BIGINT   -- Allocations.
--     allocated_bytes       BIGINT   -- Sum of their sizes.
--     never_freed_count     BIGINT   -- Allocations that live to the end.
--     churn_bytes           BIGINT   -- Allocated and freed again.
--     med_life_ns           DOUBLE   -- Median time from an allocation to its free.
--     unmatched_free_count  BIGINT   -- Frees of memory whose allocation was not recorded.
WITH event AS (
    SELECT
        *,
        other_row_id IS NOT NULL AND ($end_ns IS NULL OR other_ns < $end_ns) AS is_over
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
        use_bytes
    FROM _memory_use
    WHERE start_ns < $start_ns
    QUALIFY row_number() OVER (PARTITION BY gpu_id, kind ORDER BY place DESC) = 1
)

SELECT
    gpu_id,
    kind,
    max(use_bytes) AS peak_bytes,
    arg_max(start_ns, row(use_bytes, -place)) AS peak_ns,
    arg_max(use_bytes, place) AS end_bytes,
    count(*) FILTER (WHERE is_allocation) AS allocation_count,
    coalesce(sum(bytes) FILTER (WHERE is_allocation), 0)::BIGINT AS allocated_bytes,
    count(*) FILTER (WHERE is_allocation AND NOT is_over) AS never_freed_count,
    coalesce(sum(bytes) FILTER (WHERE is_allocation AND is_over), 0)::BIGINT AS churn_bytes,
    median(other_ns - start_ns) FILTER (WHERE is_allocation) AS med_life_ns,
    count(*) FILTER (WHERE NOT is_allocation AND other_row_id IS NULL) AS unmatched_free_count
FROM event
WHERE $gpu IS NULL OR gpu_id = $gpu
GROUP BY gpu_id, kind
ORDER BY gpu_id ASC, peak_bytes DESC, kind ASC

-- A step in which its process allocated or freed GPU memory, by GPU and kind: how much, and how much it freed again.
--
-- Memory that every step allocates and frees again is churn: cudaMalloc takes time, and cudaFree waits for the GPU.
-- Allocations and frees count in the step whose CPU time, from its mark to the next one, contains them, from any thread
-- of the process. Steps without them have no row. Without steps, and by call: memory, memory_use.
-- Needs  gpu_memory_event, _step_series
-- First  step, peak_bytes, kind
-- Parameters
--     gpu         BIGINT = NULL   -- Only this GPU.
--     start_ns    BIGINT = NULL   -- Only steps that begin at this time or later, on the GPU if they have work there.
--     end_ns      BIGINT = NULL   -- Only steps that begin before this time.
--     step_range  VARCHAR = NULL  -- NVTX range that marks the steps: NAME[@DOMAIN], numbers in it match any number.
-- Columns
--     usual: step, gpu_id
--     kind              VARCHAR  -- Kind of memory; Pinned is on the host.
--     is_steady         BOOLEAN  -- Complete, after the warm-up, and with about as many launches as most.
--     allocation_count  BIGINT   -- Allocations.
--     allocated_bytes   BIGINT   -- Sum of their sizes.
--     free_count        BIGINT   -- Frees.
--     freed_bytes       BIGINT   -- Sum of their sizes.
--     churn_count       BIGINT   -- Allocations that the step freed again.
--     churn_bytes       BIGINT   -- Sum of their sizes.
--     peak_bytes        BIGINT   -- Most bytes in use after one of these events, for the GPU and kind, including other processes.
WITH step AS (
    SELECT
        mark.step,
        mark.is_steady,
        mark.cpu_start_ns,
        mark.cpu_end_ns,
        series.process_id
    FROM _step_mark AS mark
    INNER JOIN _step_series AS series ON mark.series_id = series.series_id
    INNER JOIN _step_span AS span ON mark.step = span.step
    WHERE
        series.is_chosen
        AND is_at(span.start_ns, $start_ns, $end_ns)
),

event AS (
    SELECT
        step.step,
        step.is_steady,
        used.*,
        used.is_allocation AND used.other_ns < step.cpu_end_ns AS is_churn
    FROM _memory_use AS used
    ASOF INNER JOIN step ON used.process_id = step.process_id AND used.start_ns >= step.cpu_start_ns
    WHERE used.start_ns < step.cpu_end_ns AND ($gpu IS NULL OR used.gpu_id = $gpu)
)

SELECT
    step,
    gpu_id,
    kind,
    is_steady,
    count(*) FILTER (WHERE is_allocation) AS allocation_count,
    coalesce(sum(bytes) FILTER (WHERE is_allocation), 0)::BIGINT AS allocated_bytes,
    count(*) FILTER (WHERE NOT is_allocation) AS free_count,
    coalesce(sum(bytes) FILTER (WHERE NOT is_allocation), 0)::BIGINT AS freed_bytes,
    count(*) FILTER (WHERE is_churn) AS churn_count,
    coalesce(sum(bytes) FILTER (WHERE is_churn), 0)::BIGINT AS churn_bytes,
    max(use_bytes) AS peak_bytes
FROM event
GROUP BY step, gpu_id, kind, is_steady
ORDER BY step ASC, gpu_id ASC, kind ASC

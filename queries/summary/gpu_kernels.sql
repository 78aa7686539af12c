-- A kernel name on a GPU, or on all of them together: its time, and how much of it is small or short.
--
-- Durations are clipped to the selected time. Kernels that overlap are each counted whole, so that the times of a
-- GPU can add up to more than its busy time.
-- Needs  _kernel_ids
-- Parameters
--     start_ns     BIGINT = NULL    -- Narrow to what is at or after this time; durations are clipped.
--     end_ns       BIGINT = NULL    -- Narrow to what is before this time; durations are clipped.
--     usual: gpu, per_process
--     together     BOOLEAN = false  -- The GPUs as one; gpu_id is then NULL.
-- Columns
--     gpu_id            BIGINT   -- Physical GPU.
--     name              VARCHAR  -- Kernel name (demangled).
--     kernel_count      BIGINT   -- Kernels of that name.
--     total_ns          BIGINT   -- Their durations.
--     median_ns         DOUBLE   -- Their median.
--     shortest_ns       BIGINT   -- The shortest.
--     longest_ns        BIGINT   -- The longest.
--     small_count       BIGINT   -- Those with fewer blocks than the GPU has SMs; NULL where the export does not say.
--     small_ns          BIGINT   -- Their durations.
--     is_communication  BOOLEAN  -- A communication kernel (view communication_kernel).
--     last_end_ns       BIGINT   -- End of the last one.
WITH kernel_run AS (
    SELECT
        CASE WHEN NOT $together THEN gpu_id END AS gpu_id,
        detail_id,
        is_communication,
        is_small,
        end_ns,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS dur_ns
    FROM _activity_launch
    WHERE
        kind = 'kernel'
        AND is_within(start_ns, end_ns, $start_ns, $end_ns)
        AND ($gpu IS NULL OR gpu_id = $gpu)
),

kernel_sum AS (
    SELECT
        gpu_id,
        detail_id,
        is_communication,
        count(*) AS kernel_count,
        sum(dur_ns)::BIGINT AS total_ns,
        median(dur_ns) AS median_ns,
        min(dur_ns) AS shortest_ns,
        max(dur_ns) AS longest_ns,
        max(end_ns) AS last_end_ns,
        count(*) FILTER (WHERE is_small) AS small_count,
        coalesce(sum(dur_ns) FILTER (WHERE is_small), 0)::BIGINT AS small_ns,
        bool_or(is_small IS NOT NULL) AS knows_small
    FROM kernel_run
    GROUP BY gpu_id, detail_id, is_communication
)

SELECT
    kernel_sum.gpu_id,
    string.text AS name,
    kernel_sum.kernel_count,
    kernel_sum.total_ns,
    kernel_sum.median_ns,
    kernel_sum.shortest_ns,
    kernel_sum.longest_ns,
    CASE WHEN kernel_sum.knows_small THEN kernel_sum.small_count END AS small_count,
    CASE WHEN kernel_sum.knows_small THEN kernel_sum.small_ns END AS small_ns,
    kernel_sum.is_communication,
    kernel_sum.last_end_ns
FROM kernel_sum
LEFT JOIN string ON kernel_sum.detail_id = string.id
ORDER BY kernel_sum.gpu_id ASC, kernel_sum.total_ns DESC, name ASC NULLS FIRST, kernel_sum.kernel_count ASC

-- A kind of copy on a GPU, by direction and memory: its time and bytes, and how much of it no kernel hides.
--
-- Exposed is the time in which the copy ran and no kernel or graph did; if several copies run at once, it counts for the
-- first to start. Hidden is the same with a kernel or graph. Times are clipped to the interval; bytes are those of all
-- copies that overlap it.
-- Needs  memcpy
-- Parameters
--     start_ns     BIGINT = NULL    -- Start of the interval to analyze; times are clipped.
--     end_ns       BIGINT = NULL    -- End of the interval to analyze; times are clipped.
--     usual: gpu, per_process
--     together     BOOLEAN = false  -- Add up all GPUs; gpu_id is then NULL.
-- Columns
--     gpu_id         BIGINT   -- Physical GPU.
--     direction      VARCHAR  -- Direction, such as Host-to-Device.
--     memcpy: src_kind, dst_kind
--     copy_count     BIGINT   -- Copies.
--     bytes          BIGINT   -- Bytes copied.
--     median_bytes   BIGINT   -- Median size; the smaller of the two in the middle if their number is even.
--     least_bytes    BIGINT   -- Bytes of the smallest copy.
--     largest_bytes  BIGINT   -- Bytes of the largest copy.
--     fault_count    BIGINT   -- Copies that are migrations for a page fault.
--     total_ns       BIGINT   -- Their durations.
--     exposed_ns     BIGINT   -- Time in which one of them ran, no earlier copy, and no kernel or graph.
--     hidden_ns      BIGINT   -- Time in which one of them ran, no earlier copy, and a kernel or graph.
WITH copy AS (
    SELECT
        * REPLACE (
            CASE WHEN getvariable('per_process') THEN pid * 1000 + device_id ELSE gpu_id END AS gpu_id,
            inside_ns(start_ns, $start_ns, $end_ns) AS start_ns,
            inside_ns(end_ns, $start_ns, $end_ns) AS end_ns
        )
    FROM memcpy
    WHERE
        end_ns > start_ns
        AND is_within(start_ns, end_ns, $start_ns, $end_ns)
        AND (
            $gpu IS NULL
            OR CASE WHEN getvariable('per_process') THEN pid * 1000 + device_id ELSE gpu_id END = $gpu
        )
),

reached AS (
    SELECT
        *,
        max(end_ns) OVER (
            PARTITION BY gpu_id
            ORDER BY start_ns ASC, end_ns DESC, row_id ASC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reach_ns
    FROM copy
),

-- What each copy adds to those before it: these intervals of a GPU do not overlap.
added AS (
    SELECT
        * EXCLUDE (reach_ns),
        greatest(start_ns, coalesce(reach_ns, start_ns)) AS from_ns
    FROM reached
),

running AS (
    SELECT
        gpu_id,
        inside_ns(start_ns, $start_ns, $end_ns) AS start_ns,
        inside_ns(end_ns, $start_ns, $end_ns) AS end_ns
    FROM _gpu_busy_interval
    WHERE class = 'run' AND is_within(start_ns, end_ns, $start_ns, $end_ns)
),

run AS (
    SELECT
        *,
        coalesce(
            sum(end_ns - start_ns) OVER (
                PARTITION BY gpu_id ORDER BY start_ns
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ), 0
        ) AS before_ns
    FROM running
),

border AS (
    SELECT
        gpu_id,
        direction,
        src_kind,
        dst_kind,
        unnest([from_ns, end_ns]) AS moment_ns,
        unnest([-1, 1]) AS sign
    FROM added
    WHERE end_ns > from_ns
),

-- The time with kernels up to the end of each interval, less that up to its start.
hidden_sum AS (
    SELECT
        CASE WHEN NOT $together THEN border.gpu_id END AS gpu_id,
        border.direction,
        border.src_kind,
        border.dst_kind,
        sum(
            border.sign * (run.before_ns + least(border.moment_ns, run.end_ns) - run.start_ns)
        )::BIGINT AS hidden_ns
    FROM border
    ASOF INNER JOIN run ON border.gpu_id = run.gpu_id AND border.moment_ns >= run.start_ns
    GROUP BY ALL
),

copy_sum AS (
    SELECT
        CASE WHEN NOT $together THEN gpu_id END AS gpu_id,
        direction,
        src_kind,
        dst_kind,
        count(*) AS copy_count,
        sum(bytes)::BIGINT AS bytes,
        quantile_disc(bytes, 0.5) AS median_bytes,
        min(bytes) AS least_bytes,
        max(bytes) AS largest_bytes,
        count(*) FILTER (WHERE migration_cause = 2) AS fault_count,
        sum(end_ns - start_ns)::BIGINT AS total_ns,
        sum(greatest(end_ns - from_ns, 0))::BIGINT AS any_ns
    FROM added
    GROUP BY ALL
)

SELECT
    copy_sum.* EXCLUDE (any_ns),
    copy_sum.any_ns - coalesce(hidden_sum.hidden_ns, 0) AS exposed_ns,
    coalesce(hidden_sum.hidden_ns, 0) AS hidden_ns
FROM copy_sum
LEFT JOIN hidden_sum
    ON
        copy_sum.gpu_id IS NOT DISTINCT FROM hidden_sum.gpu_id
        AND copy_sum.direction IS NOT DISTINCT FROM hidden_sum.direction
        AND copy_sum.src_kind IS NOT DISTINCT FROM hidden_sum.src_kind
        AND copy_sum.dst_kind IS NOT DISTINCT FROM hidden_sum.dst_kind
ORDER BY
    copy_sum.gpu_id ASC,
    exposed_ns DESC,
    copy_sum.total_ns DESC,
    copy_sum.direction ASC NULLS FIRST,
    copy_sum.src_kind ASC NULLS FIRST,
    copy_sum.dst_kind ASC NULLS FIRST

-- A GPU and one of equal slices of its window: how long the GPU was busy in it.
--
-- Busy is the union of kernels, memcpys, memsets and CUDA graphs over all streams and processes; the slices sum to busy_ns
-- of gpu_time.
-- Needs  _gpu_work_ids
-- Parameters
--     slices  BIGINT = 100  -- Slices of each window.
-- Columns
--     gpu_id    BIGINT  -- Physical GPU.
--     slice     BIGINT  -- Number of the slice, from 0.
--     start_ns  BIGINT  -- Start.
--     end_ns    BIGINT  -- Start of the next; for the last the end of the window.
--     busy_ns   BIGINT  -- Time with any activity.
WITH interval AS (
    SELECT
        gpu_id,
        start_ns,
        end_ns,
        coalesce(
            sum(end_ns - start_ns) OVER (
                PARTITION BY gpu_id
                ORDER BY start_ns
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ),
            0
        )::BIGINT AS before_ns
    FROM _gpu_busy_interval
    WHERE class = 'any'
),

gpu_span AS (
    SELECT
        gpu_id,
        min(start_ns) AS start_ns,
        max(end_ns) AS end_ns
    FROM interval
    GROUP BY gpu_id
),

number AS (
    SELECT unnest(range($slices + 1)) AS slice
),

border AS (
    SELECT
        gpu_id,
        number.slice,
        start_ns + ((end_ns - start_ns)::HUGEINT * number.slice // $slices)::BIGINT AS at_ns
    FROM gpu_span
    CROSS JOIN number
),

reached AS (
    SELECT
        border.gpu_id,
        border.slice,
        border.at_ns,
        interval.before_ns + least(border.at_ns, interval.end_ns) - interval.start_ns AS busy_before_ns
    FROM border
    ASOF JOIN interval
        ON coalesce(border.gpu_id, -1) = coalesce(interval.gpu_id, -1) AND border.at_ns >= interval.start_ns
)

SELECT
    gpu_id,
    slice,
    at_ns AS start_ns,
    lead(at_ns) OVER following AS end_ns,
    lead(busy_before_ns) OVER following - busy_before_ns AS busy_ns
FROM reached
WINDOW following AS (PARTITION BY gpu_id ORDER BY slice)
QUALIFY lead(at_ns) OVER following IS NOT NULL
ORDER BY gpu_id ASC, slice ASC

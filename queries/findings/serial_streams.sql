-- Kernels on several streams that never overlap, though they would fit on the GPU together.
--
-- Kernels in fewer blocks than SMs, on streams that wait for no other stream: work on the default stream joins them, or they
-- are launched too late. The streams take turns at least 20 times; one after the other they belong to different work.
-- Whether the kernels need each other's results is not recorded, so what it saves is unknown.
-- Needs  _kernel_ids
-- Finding
--     says  Kernels on {stream_count} streams never run at the same time: {count} small ones take {total_ns}.
--     do  Non-blocking streams (cudaStreamNonBlocking) or --default-stream per-thread; launch on them before you wait.
-- Columns
--     count         BIGINT  -- Kernels with fewer blocks than SMs on streams other than the main one.
--     stream_count  BIGINT  -- Streams.
WITH ordered AS (
    SELECT
        part_id,
        stream_id,
        lag(stream_id) OVER (PARTITION BY part_id ORDER BY start_ns, row_id) AS stream_before
    FROM _part_activity
    WHERE kind = 'kernel' AND NOT is_communication
),

turn AS (
    SELECT
        part_id,
        count(*) AS count
    FROM ordered
    WHERE stream_id <> stream_before
    GROUP BY part_id
),

stream AS (
    SELECT
        work.part_id,
        work.stream_id,
        sum(work.end_ns - work.start_ns) AS total_ns,
        sum(work.alone_ns) AS alone_ns,
        count(*) AS count,
        count(*) FILTER (WHERE kernel.grid_x * kernel.grid_y * kernel.grid_z < gpu.sm_count) AS small_count,
        coalesce(sum(work.alone_ns) FILTER (WHERE kernel.grid_x * kernel.grid_y * kernel.grid_z < gpu.sm_count), 0)
            AS small_ns
    FROM _part_activity AS work
    INNER JOIN _kernel_ids AS kernel ON work.row_id = kernel.row_id
    INNER JOIN gpu ON work.gpu_id = gpu.gpu_id
    WHERE work.kind = 'kernel' AND NOT work.is_communication
    GROUP BY work.part_id, work.stream_id
),

summed AS (
    SELECT
        part_id,
        count(*) AS stream_count,
        sum(total_ns) - sum(alone_ns) AS beside_ns,
        sum(small_ns) - max(small_ns) AS small_ns,
        sum(small_count) - arg_max(small_count, small_ns) AS small_count
    FROM stream
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'streams' AS subject,
    summed.small_ns::BIGINT AS total_ns,
    summed.small_ns::BIGINT AS saves_ns,
    'unknown' AS bound,
    'possible' AS certainty,
    false AS once,
    'stream' AS claims,
    summed.small_count::BIGINT AS count,
    summed.stream_count
FROM part
CROSS JOIN thresholds AS least
INNER JOIN summed ON part.part_id = summed.part_id
INNER JOIN turn ON part.part_id = turn.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND summed.stream_count > 1
    AND summed.beside_ns = 0
    AND summed.small_count >= least.stream_count
    AND turn.count >= least.stream_count
    AND NOT EXISTS (
        SELECT wait.row_id
        FROM stream_wait AS wait
        WHERE wait.start_ns BETWEEN part.start_ns AND part.end_ns
    )
ORDER BY part.part_id

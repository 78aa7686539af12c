-- Kernels on several streams that never overlap, though they would fit on the GPU together.
--
-- At least 20 kernels with fewer blocks than SMs outside of the main stream, in a part without cudaStreamWaitEvent: work on
-- the default stream serializes them, or they are launched too late. The streams alternate at least 20 times; fewer changes
-- are phases of the program. The bound assumes that no kernel needs another's results, which is not recorded: their time, or
-- less if the blocks of the part's kernels would take longer on all SMs.
-- Needs  _kernel_ids
-- Finding
--     says  Kernels on {stream_count} streams never overlap: {count} small ones take {total_ns}.
--     do  Use non-blocking streams (cudaStreamNonBlocking) or nvcc --default-stream per-thread, and launch on all of them before you wait.
-- Columns
--     count         BIGINT  -- Kernels with fewer blocks than SMs on streams other than the main one.
--     stream_count  BIGINT  -- Streams.
WITH stream AS (
    SELECT
        part_id,
        stream_id,
        sum(end_ns - start_ns - alone_ns) AS beside_ns,
        coalesce(sum(alone_ns) FILTER (WHERE is_small), 0) AS small_ns,
        count(*) FILTER (WHERE is_small) AS small_count
    FROM _part_activity
    WHERE kind = 'kernel' AND NOT is_communication
    GROUP BY part_id, stream_id
),

summed AS (
    SELECT
        part_id,
        count(*) AS stream_count,
        sum(small_ns) - max(small_ns) AS small_ns,
        sum(small_count) - arg_max(small_count, small_ns) AS small_count
    FROM stream
    GROUP BY part_id
    HAVING count(*) > 1 AND sum(beside_ns) = 0
),

turn AS (
    SELECT
        part_id,
        stream_id <> lag(stream_id) OVER (PARTITION BY part_id ORDER BY start_ns, row_id) AS is_turn
    FROM _part_activity
    WHERE kind = 'kernel' AND NOT is_communication AND part_id IN (SELECT part_id FROM summed)
),

filled AS (
    SELECT
        part_id,
        sum(filled_ns) AS filled_ns
    FROM _judged_kernel
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'streams' AS subject,
    any_value(summed.small_ns)::BIGINT AS total_ns,
    least(any_value(summed.small_ns), part.busy_ns - any_value(filled.filled_ns))::BIGINT AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'stream' AS claims,
    any_value(summed.small_count)::BIGINT AS count,
    any_value(summed.stream_count) AS stream_count
FROM part
INNER JOIN summed ON part.part_id = summed.part_id
INNER JOIN turn ON part.part_id = turn.part_id
INNER JOIN filled ON part.part_id = filled.part_id
CROSS JOIN thresholds AS least
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND NOT EXISTS (
        SELECT wait.row_id
        FROM stream_wait AS wait
        WHERE wait.start_ns BETWEEN part.start_ns AND part.end_ns
    )
GROUP BY part.part_id, part.gpu_id, part.busy_ns, least.stream_count
HAVING least(count(*) FILTER (WHERE turn.is_turn), any_value(summed.small_count)) >= least.stream_count
ORDER BY part.part_id

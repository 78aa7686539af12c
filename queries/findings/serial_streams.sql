-- Kernels on several streams that run one after another, though they would fit on the GPU together.
--
-- They overlap for at most 1 % of their time, and no stream waits for another by an event: work on the default stream
-- serializes them, or late launches do. At least 20 kernels, or one a step, have fewer blocks than SMs outside of the main
-- stream, and streams change as often: else they are phases. Only the process with most work counts. The bound is their
-- time, or less if all blocks would take longer on all SMs; whether one needs another's results is unknown.
-- Needs  _kernel_ids
-- Finding
--     says  Kernels on {stream_count} streams run one after another: {count} small ones take {total_ns}.
--     do  Use non-blocking streams (cudaStreamNonBlocking) or nvcc --default-stream per-thread, and launch on all of them before you wait.
-- Columns
--     count         BIGINT  -- Kernels with fewer blocks than SMs on streams other than the main one.
--     stream_count  BIGINT  -- Streams.
WITH apart AS (  -- parts and processes with kernels on several streams, but hardly two at once
    SELECT
        part.part_id,
        part.process_id
    FROM _part_activity AS work
    INNER JOIN part ON work.part_id = part.part_id AND work.process_id = part.process_id
    WHERE work.kind = 'kernel' AND NOT work.is_communication AND part.kind IN ('series', 'rest', 'work')
    GROUP BY part.part_id, part.process_id
    HAVING count(DISTINCT work.stream_id) > 1 AND sum(work.alone_ns) >= ALONE_SHARE * sum(work.end_ns - work.start_ns)
),

work AS (
    SELECT
        run.part_id,
        run.stream_id,
        run.is_small,
        run.alone_ns,
        run.stream_id <> lag(run.stream_id) OVER (PARTITION BY run.part_id ORDER BY run.start_ns, run.row_id) AS is_turn
    FROM _part_activity AS run
    SEMI JOIN apart ON run.part_id = apart.part_id AND run.process_id = apart.process_id
    WHERE run.kind = 'kernel' AND NOT run.is_communication
),

stream AS (
    SELECT
        part_id,
        stream_id,
        coalesce(sum(alone_ns) FILTER (WHERE is_small), 0) AS small_ns,
        count(*) FILTER (WHERE is_small) AS small_count,
        count(*) FILTER (WHERE is_turn) AS turn_count
    FROM work
    GROUP BY part_id, stream_id
),

summed AS (
    SELECT
        part_id,
        count(*) AS stream_count,
        sum(turn_count) AS turn_count,
        sum(small_ns) - max(small_ns) AS small_ns,
        sum(small_count) - arg_max(small_count, row(small_ns, stream_id)) AS small_count
    FROM stream
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'streams' AS subject,
    summed.small_ns::BIGINT AS total_ns,
    least(
        summed.small_ns,
        part.busy_ns - (SELECT sum(filled_ns) FROM _judged_kernel AS kernel WHERE kernel.part_id = part.part_id)
    )::BIGINT AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'stream' AS claims,
    summed.small_count::BIGINT AS count,
    summed.stream_count
FROM part
INNER JOIN summed ON part.part_id = summed.part_id
WHERE
    least(summed.turn_count, summed.small_count) >= least(STREAM_COUNT, part.step_count)
    AND part.part_id NOT IN (SELECT part_id FROM part_call WHERE regexp_matches(name, '^cu(da)?StreamWaitEvent'))
ORDER BY part.part_id

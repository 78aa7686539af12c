-- A Python thread that nsys sampled: its samples, and how many of them have their stack in the export.
--
-- nsys writes the stacks if the export includes blobs, since schema 3.16.1.
-- Needs  NVTX_EVENTS
-- Columns
--     pid          BIGINT  -- Process.
--     number       BIGINT  -- Number of the Python thread in its process.
--     tid          BIGINT  -- OS thread id, which the sampler records for main threads only; else NULL.
--     samples      BIGINT  -- Samples.
--     stacks       BIGINT  -- Those whose stack can be read.
--     _python_mark_count: first_ns, last_ns
--     interval_ns  BIGINT  -- Mean time between two samples; NULL for a single one.
WITH stack AS (
    SELECT
        process_id,
        number,
        any_value(thread_id) AS thread_id,
        sum((frames > 0)::BIGINT) AS stacks
    FROM python_sample
    GROUP BY process_id, number
)

SELECT
    pid_of(mark.process_id) AS pid,
    mark.number,
    tid_of(stack.thread_id) AS tid,
    mark.samples,
    coalesce(stack.stacks, 0)::BIGINT AS stacks,
    mark.first_ns,
    mark.last_ns,
    (mark.last_ns - mark.first_ns) // nullif(mark.samples - 1, 0) AS interval_ns
FROM _python_mark_count AS mark
LEFT JOIN stack ON mark.process_id = stack.process_id AND mark.number IS NOT DISTINCT FROM stack.number
ORDER BY pid ASC, mark.number ASC NULLS LAST

-- Communication kernels of each GPU while a part with such kernels lasts, its own GPU's and those of others.
--
-- Columns
--     part_id       BIGINT  -- The part.
--     gpu_id        BIGINT  -- GPU that runs them.
--     count         BIGINT  -- Kernels that start in the part's time.
--     computing_ns  BIGINT  -- Time in which this GPU runs other kernels or CUDA graphs.
--     exposed_ns    BIGINT  -- Time in which it runs communication kernels and none of these.
WITH span AS (
    SELECT _part_span.*
    FROM _part_span
    WHERE _part_span.part_id IN (SELECT one.part_id FROM _judged_kernel AS one WHERE one.class = 'communication')
),

sent AS (
    SELECT
        span.part_id,
        work.gpu_id,
        count(*) AS count
    FROM _part_activity AS work
    INNER JOIN span ON work.start_ns >= span.start_ns AND work.start_ns < span.end_ns
    WHERE work.is_communication
    GROUP BY span.part_id, work.gpu_id
)

SELECT
    sent.part_id,
    sent.gpu_id,
    any_value(sent.count) AS count,
    sum(CASE busy.class WHEN 'computing' THEN busy.busy_ns ELSE 0 END)::BIGINT AS computing_ns,
    sum(CASE busy.class WHEN 'run' THEN busy.busy_ns ELSE -busy.busy_ns END)::BIGINT AS exposed_ns
FROM sent
INNER JOIN _part_busy AS busy ON sent.part_id = busy.part_id AND sent.gpu_id = busy.gpu_id
WHERE busy.class IN ('run', 'computing')
GROUP BY sent.part_id, sent.gpu_id
ORDER BY sent.part_id ASC, sent.gpu_id ASC

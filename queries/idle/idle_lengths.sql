-- A GPU and a class of gap lengths: few long gaps or many short ones.
--
-- Classes are decades: at least 1 us and less than 10 us, and so on. The gaps of a class that --min-gap hides are
-- counted separately, too.
-- Needs  _idle_gap
-- Parameters
--     min_gap_ns   BIGINT = 0       -- Shorter gaps are counted as hidden.
--     usual: gpu, start_ns, end_ns, per_process
-- Columns
--     gpu_id           BIGINT  -- Physical GPU.
--     at_least_ns      BIGINT  -- Least length of the class.
--     gap_count        BIGINT  -- Gaps of the class.
--     idle_ns          BIGINT  -- Their time.
--     hidden_count     BIGINT  -- Those shorter than min_gap_ns.
--     hidden_ns        BIGINT  -- Their time.
WITH gap AS (
    SELECT
        gpu_id,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS gap_ns
    FROM _idle_gap
    WHERE is_asked(start_ns, end_ns, $start_ns, $end_ns, gpu_id, $gpu)
)

SELECT
    gpu_id,
    (10 ** floor(log10(gap_ns)))::BIGINT AS at_least_ns,
    count(*) AS gap_count,
    sum(gap_ns)::BIGINT AS idle_ns,
    count(*) FILTER (WHERE gap_ns < $min_gap_ns) AS hidden_count,
    coalesce(sum(gap_ns) FILTER (WHERE gap_ns < $min_gap_ns), 0)::BIGINT AS hidden_ns
FROM gap
GROUP BY gpu_id, at_least_ns
ORDER BY gpu_id ASC, at_least_ns ASC

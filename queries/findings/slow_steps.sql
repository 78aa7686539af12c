-- Steps that take over 1.5 times the median.
--
-- At least three, fewer than half of the steps, and their time beyond the median is over 5 % of the part. Steps that keep
-- getting longer or shorter belong to no-steady-state.
-- Needs  _gpu_work_ids
-- Finding
--     says  {slow_count} of {step_count} steps take over 1.5 times the median of {median_ns}: {total_ns} more.
--     do  nsysql steps shows where the slow steps spend the extra time.
-- Columns
--     slow_count  BIGINT  -- Slow steps.
--     step_count  BIGINT  -- Steps.
--     median_ns   BIGINT  -- Median step.
WITH period AS (
    SELECT
        part_id,
        end_ns - start_ns AS dur_ns,
        median(end_ns - start_ns) OVER (PARTITION BY part_id) AS median_ns,
        corr(step, end_ns - start_ns) OVER (PARTITION BY part_id) AS trend
    FROM _part_step
)

SELECT
    part.part_id,
    part.gpu_id,
    'steps' AS subject,
    sum(period.dur_ns - period.median_ns)::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'likely' AS certainty,
    false AS once,
    NULL::VARCHAR AS claims,
    count(*) AS slow_count,
    part.step_count,
    any_value(period.median_ns)::BIGINT AS median_ns
FROM part
CROSS JOIN thresholds AS least
INNER JOIN period ON part.part_id = period.part_id
WHERE
    part.kind = 'series' AND period.dur_ns > least.slow_step_ratio * period.median_ns
    AND coalesce(abs(period.trend) < least.trend_correlation, true)
GROUP BY part.part_id, part.gpu_id, part.step_count, part.length_ns, least.slow_steps_share, least.slow_step_count
HAVING
    sum(period.dur_ns - period.median_ns) > least.slow_steps_share * part.length_ns
    AND count(*) >= least.slow_step_count
    AND 2 * count(*) < part.step_count
ORDER BY part.part_id

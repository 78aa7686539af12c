-- Steps that take over 1.5 times the median.
--
-- At least three, fewer than half of the steps, and their time beyond the median is over 5 % of the part. If over half of
-- it is idle time, the findings of idle time have it. Steps that keep getting longer or shorter belong to no-steady-state.
-- Needs  _idle_gap
-- Finding
--     says  {slow_count} of {step_count} steps take over 1.5 times the median of {median_ns}: {total_ns} more.
--     do  nsysql steps shows where the slow steps spend the extra time.
-- Columns
--     slow_count  BIGINT  -- Slow steps.
--     step_count  BIGINT  -- Steps.
--     median_ns   BIGINT  -- Median step.
WITH idle AS (
    SELECT
        part_id,
        step,
        sum(end_ns - start_ns) AS idle_ns
    FROM _part_gap
    GROUP BY part_id, step
),

period AS (
    SELECT
        step.part_id,
        step.end_ns - step.start_ns AS dur_ns,
        median(dur_ns) OVER same AS median_ns,
        coalesce(idle.idle_ns, 0) AS idle_ns,
        median(coalesce(idle.idle_ns, 0)) OVER same AS median_idle_ns,
        corr(step.step, dur_ns) OVER same AS trend
    FROM _part_step AS step
    LEFT JOIN idle ON step.part_id = idle.part_id AND step.step = idle.step
    WINDOW same AS (PARTITION BY step.part_id)
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
INNER JOIN period ON part.part_id = period.part_id
WHERE
    part.kind = 'series' AND period.dur_ns > SLOW_STEP_RATIO * period.median_ns
    AND coalesce(abs(period.trend) < TREND_CORRELATION, true)
GROUP BY part.part_id, part.gpu_id, part.step_count, part.length_ns
HAVING
    sum(period.dur_ns - period.median_ns) > SLOW_STEPS_SHARE * part.length_ns
    AND count(*) >= SLOW_STEP_COUNT
    AND 2 * count(*) < part.step_count
    AND 2 * sum(period.idle_ns - period.median_idle_ns) <= sum(period.dur_ns - period.median_ns)
ORDER BY part.part_id

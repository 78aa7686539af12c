-- Steps that keep getting longer or shorter.
--
-- At least 12 steps whose duration correlates with their number (0.5 or more, either sign); the medians of the first and
-- last third differ by over a quarter, and that of the second third is between them. Causes: work that converges or grows,
-- caches or clocks that settle. The mean of such steps says little.
-- Needs  _gpu_work_ids
-- Finding
--     says  Steps change from {first_ns} to {last_ns} over the loop: there is no steady state.
--     do  Compare equal steps only (--steps); do not extrapolate from the mean.
-- Columns
--     first_ns  BIGINT  -- Median of the first third of the steps.
--     last_ns   BIGINT  -- Median of the last third.
WITH third AS (
    SELECT
        part_id,
        end_ns - start_ns AS dur_ns,
        step,
        ntile(3) OVER (PARTITION BY part_id ORDER BY step) AS third
    FROM _part_step
),

middle AS (
    SELECT
        part_id,
        count(*) AS count,
        corr(step, dur_ns) AS trend,
        median(dur_ns) FILTER (WHERE third = 1) AS first_ns,
        median(dur_ns) FILTER (WHERE third = 2) AS middle_ns,
        median(dur_ns) FILTER (WHERE third = 3) AS last_ns
    FROM third
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'steps' AS subject,
    part.length_ns AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'likely' AS certainty,
    false AS once,
    NULL::VARCHAR AS claims,
    middle.first_ns::BIGINT AS first_ns,
    middle.last_ns::BIGINT AS last_ns
FROM part
CROSS JOIN thresholds AS least
INNER JOIN middle ON part.part_id = middle.part_id
WHERE
    part.kind = 'series'
    AND middle.count >= least.trend_steps
    AND abs(middle.trend) >= least.trend_correlation
    AND least(middle.first_ns, middle.last_ns) > 0
    AND greatest(middle.first_ns, middle.last_ns) > least.trend_ratio * least(middle.first_ns, middle.last_ns)
    AND middle.middle_ns BETWEEN least(middle.first_ns, middle.last_ns) AND greatest(middle.first_ns, middle.last_ns)
ORDER BY part.part_id

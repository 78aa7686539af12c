-- Steps that keep getting longer or shorter, or of two loops, one after the other, in ranges of one name.
--
-- At least 12 steps whose duration correlates with their number (0.5 or more, either sign); the medians of the first and
-- last third differ by over a quarter, and that of the second third is between them. Causes: work that converges or grows,
-- caches or clocks that settle. The mean of such steps says little. There are two loops if the number of kernels, copies
-- and memsets in a step changes just once.
-- Needs  _gpu_work_ids
-- Finding
--     says if is_two  Two loops have steps of one name: {first_ns} a step at first, {last_ns} from step {step} on, which has other work.
--     says  Steps change from {first_ns} to {last_ns} over the loop: there is no steady state.
--     do if is_two  Judge each loop alone (--steps FIRST:LAST), or give their ranges different names.
--     do  Compare equal steps only (--steps); do not extrapolate from the mean.
-- Columns
--     first_ns  BIGINT   -- Median of the first third of the steps.
--     last_ns   BIGINT   -- Median of the last third.
--     is_two    BOOLEAN  -- Two loops.
--     step      BIGINT   -- First step of the second loop.
WITH work AS (
    SELECT
        part_id,
        step,
        count(*) <> lag(count(*)) OVER (PARTITION BY part_id ORDER BY step) AS is_change
    FROM _part_activity
    WHERE step IS NOT NULL
    GROUP BY part_id, step
),

third AS (
    SELECT
        part_id,
        end_ns - start_ns AS dur_ns,
        step,
        ntile(3) OVER (PARTITION BY part_id ORDER BY step) AS third
    FROM _part_step
),

middle AS (
    SELECT
        third.part_id,
        count(*) AS count,
        corr(third.step, dur_ns) AS trend,
        median(dur_ns) FILTER (WHERE third = 1) AS first_ns,
        median(dur_ns) FILTER (WHERE third = 2) AS middle_ns,
        median(dur_ns) FILTER (WHERE third = 3) AS last_ns,
        count_if(work.is_change) = 1 AS is_two,
        max(third.step) FILTER (WHERE work.is_change) AS step
    FROM third
    LEFT JOIN work ON third.part_id = work.part_id AND third.step = work.step
    GROUP BY third.part_id
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
    middle.last_ns::BIGINT AS last_ns,
    middle.is_two,
    middle.step
FROM part
INNER JOIN middle ON part.part_id = middle.part_id
WHERE
    part.kind = 'series'
    AND middle.count >= TREND_STEPS
    AND abs(middle.trend) >= TREND_CORRELATION
    AND least(middle.first_ns, middle.last_ns) > 0
    AND greatest(middle.first_ns, middle.last_ns) > TREND_RATIO * least(middle.first_ns, middle.last_ns)
    AND middle.middle_ns BETWEEN least(middle.first_ns, middle.last_ns) AND greatest(middle.first_ns, middle.last_ns)
ORDER BY part.part_id

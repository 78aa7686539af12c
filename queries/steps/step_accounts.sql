-- A step, a GPU and an account: what the GPU's period of that step was spent on.
--
-- The accounts of gpu_accounts, cut where steps begin: those of a step sum to its period (query step_times).
-- Needs  _step_series, _gpu_work_ids
-- Parameters
--     step_times: step_range, series, start_ns, end_ns
-- Columns
--     step       BIGINT   -- Number of the step, from 0.
--     gpu_accounts: gpu_id, kind, name
--     total_ns   BIGINT   -- Time of the period in this account.
--     count      BIGINT   -- Activities, or gaps, whose time in this account begins in the period.
--     is_steady  BOOLEAN  -- The step is complete, after the warm-up, and has about as many launches as most.
WITH step AS (
    SELECT
        gpu.step,
        gpu.gpu_id,
        coalesce(gpu.gpu_id, -1) AS gpu_key,
        gpu.gpu_start_ns,
        gpu.gpu_end_ns,
        mark.is_steady,
        row_number() OVER (PARTITION BY gpu.gpu_id ORDER BY gpu.step ASC) AS place
    FROM _step_gpu AS gpu
    INNER JOIN _step_series AS series ON gpu.series_id = series.series_id
    INNER JOIN _step_mark AS mark ON gpu.series_id = mark.series_id AND gpu.step = mark.step
    WHERE
        gpu.gpu_end_ns > gpu.gpu_start_ns
        AND CASE WHEN $series IS NULL THEN series.is_chosen ELSE series.series_id = $series END
),

gpu_span AS (
    SELECT
        gpu_key,
        min(gpu_start_ns) AS start_ns,
        max(gpu_end_ns) AS end_ns
    FROM step
    GROUP BY gpu_key
),

piece AS (
    SELECT
        account.kind,
        account.name_id,
        account.label,
        account.is_first AND account.start_ns >= gpu_span.start_ns AS is_first,
        gpu_span.gpu_key,
        greatest(account.start_ns, gpu_span.start_ns) AS start_ns,
        least(account.end_ns, gpu_span.end_ns) AS end_ns
    FROM _account_piece AS account
    INNER JOIN gpu_span ON coalesce(account.gpu_id, -1) = gpu_span.gpu_key
    WHERE account.start_ns < gpu_span.end_ns AND account.end_ns > gpu_span.start_ns
),

located AS (
    SELECT
        piece.*,
        step.place,
        step.gpu_end_ns
    FROM piece
    ASOF JOIN step ON piece.gpu_key = step.gpu_key AND piece.start_ns >= step.gpu_start_ns
),

-- A segment that extends into later steps, once for each of them.
last_place AS (
    SELECT
        located.*,
        step.place AS last_place
    FROM (
        FROM located
        WHERE end_ns > gpu_end_ns
    ) AS located
    ASOF JOIN step ON located.gpu_key = step.gpu_key AND located.end_ns > step.gpu_start_ns
),

spread AS (
    SELECT
        * EXCLUDE (place, last_place, gpu_end_ns),
        unnest(range(place, last_place + 1)) AS place,
        place AS first_place
    FROM last_place
),

cut AS (
    SELECT
        gpu_key,
        place,
        kind,
        name_id,
        label,
        is_first,
        end_ns - start_ns AS dur_ns
    FROM located
    WHERE end_ns <= gpu_end_ns
    UNION ALL
    SELECT
        spread.gpu_key,
        spread.place,
        spread.kind,
        spread.name_id,
        spread.label,
        spread.is_first AND spread.place = spread.first_place AS is_first,
        least(spread.end_ns, step.gpu_end_ns) - greatest(spread.start_ns, step.gpu_start_ns) AS dur_ns
    FROM spread
    INNER JOIN step ON spread.gpu_key = step.gpu_key AND spread.place = step.place
),

by_id AS (
    SELECT
        gpu_key,
        place,
        kind,
        name_id,
        label,
        sum(dur_ns)::BIGINT AS total_ns,
        count(*) FILTER (WHERE is_first) AS items
    FROM cut
    GROUP BY gpu_key, place, kind, name_id, label
)

SELECT
    step.step,
    step.gpu_id,
    by_id.kind::VARCHAR AS kind,
    coalesce(by_id.label, string.text) AS name,
    sum(by_id.total_ns)::BIGINT AS total_ns,
    sum(by_id.items)::BIGINT AS count,
    bool_or(step.is_steady) AS is_steady
FROM by_id
INNER JOIN step ON by_id.gpu_key = step.gpu_key AND by_id.place = step.place
LEFT JOIN string ON by_id.name_id = string.id
WHERE is_at(step.gpu_start_ns, $start_ns, $end_ns)
GROUP BY step.step, step.gpu_id, by_id.kind, coalesce(by_id.label, string.text)
ORDER BY step.step ASC, step.gpu_id ASC, total_ns DESC, by_id.kind ASC, name ASC

-- Work is queued without a known reason, and there are host functions that later work of their streams waits for.
--
-- cudaLaunchHostFunc and cudaStreamAddCallback: a function runs on a thread of the driver, and the stream waits until it
-- returns. When it runs is not recorded. At least ten of them, and over 5 % of the part.
-- Needs  _idle_gap, _api_call_ids
-- Finding
--     says  Work is queued for {total_ns}, and {call_count} host functions ({subject}) are queued as well.
--     do  Let no later work wait for them: put them in a stream of their own after an event, or make them short.
-- Columns
--     call_count  BIGINT  -- Host functions.
WITH queued AS (
    SELECT
        part_id,
        sum(idle_ns)::BIGINT AS idle_ns
    FROM part_idle
    WHERE cause = 'queued_unexplained'
    GROUP BY part_id
),

call AS (
    SELECT
        part_id,
        sum(count)::BIGINT AS count,
        arg_max(name, row(count, name)) AS name
    FROM part_call
    WHERE regexp_matches(name, '^cu(da)?(LaunchHostFunc|StreamAddCallback)')
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    call.name AS subject,
    queued.idle_ns AS total_ns,
    queued.idle_ns AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'queued' AS claims,
    call.count AS call_count
FROM part
CROSS JOIN thresholds AS least
INNER JOIN queued ON part.part_id = queued.part_id
INNER JOIN call ON part.part_id = call.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND queued.idle_ns > least.queued_share * part.length_ns
    AND call.count >= least.sync_count
ORDER BY part.part_id

-- How much launched work a GPU has not started: a row for each time at which that changes.
--
-- A piece of work is queued from the return of its launching call to its start, as in `launches`; work that starts before
-- its call returns, or whose call was not recorded, is never queued. Of a stretch of time, work counts that runs in it.
-- Needs  launch
-- Columns
--     usual: gpu_id
--     start_ns  BIGINT  -- From when on.
--     end_ns    BIGINT  -- Until when; NULL for the last.
--     depth     BIGINT  -- Pieces of work that are queued.
WITH change AS (
    SELECT
        gpu_id,
        unnest([api_end_ns, start_ns]) AS at_ns,
        unnest([1, -1]) AS added
    FROM _activity_launch
    WHERE api_end_ns < start_ns
),

moment AS (
    SELECT
        gpu_id,
        at_ns,
        sum(added) AS added
    FROM change
    GROUP BY gpu_id, at_ns
    HAVING sum(added) <> 0
)

SELECT
    gpu_id,
    at_ns AS start_ns,
    lead(at_ns) OVER (PARTITION BY gpu_id ORDER BY at_ns) AS end_ns,
    (sum(added) OVER (PARTITION BY gpu_id ORDER BY at_ns))::BIGINT AS depth
FROM moment
ORDER BY gpu_id ASC, start_ns ASC

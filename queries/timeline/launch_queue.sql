-- An interval in which the amount of queued work on a GPU stays the same.
--
-- Work is queued from the return of its launching call to its start, as in `launches`; work that starts before its call
-- returns, or whose call was not recorded, is never queued. A selected interval includes work that runs in it.
-- Needs  launch
-- Columns
--     usual: gpu_id
--     start_ns  BIGINT  -- Start.
--     end_ns    BIGINT  -- End; NULL for the last.
--     depth     BIGINT  -- Number of kernels, copies, memsets and graphs queued.
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

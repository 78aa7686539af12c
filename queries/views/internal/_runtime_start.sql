-- The call in which a CUDA runtime started: the first runtime call of a thread after cuInit or a burst of lookups.
--
-- Each library that is linked to a CUDA runtime of its own starts one: it looks up the driver's functions (a hundred
-- calls of cuGetProcAddress at least), calls cuInit, and its first call, whatever its name, then sets the context up.
-- Runtime calls are those named cuda; a thread's driver calls may lie between.
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
-- Engine  whole
-- Columns
--     call_id  BIGINT  -- Position of the call in the export's table.
WITH named AS (
    SELECT
        id,
        regexp_matches(text, '^cuInit($|_)') AS is_init,
        regexp_matches(text, '^cuGetProcAddress($|_)') AS is_lookup,
        starts_with(text, 'cuda') AS is_runtime
    FROM string
),

call AS (
    SELECT
        call.row_id,
        call.thread_id,
        call.start_ns,
        named.is_init,
        named.is_lookup,
        named.is_runtime
    FROM _api_call_ids AS call
    INNER JOIN named ON call.name_id = named.id
    SEMI JOIN (
        SELECT thread_id
        FROM _api_call_ids
        INNER JOIN named AS init ON _api_call_ids.name_id = init.id
        WHERE init.is_init OR init.is_lookup
        GROUP BY thread_id
    ) AS starting ON call.thread_id = starting.thread_id
    WHERE named.is_init OR named.is_lookup OR named.is_runtime
),

-- The runtime calls of each thread so far number what lies between two of them.
counted AS (
    SELECT
        *,
        count(*) FILTER (WHERE is_runtime) OVER (
            PARTITION BY thread_id ORDER BY start_ns ASC, row_id ASC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS runtime_count
    FROM call
)

SELECT max(row_id) FILTER (WHERE is_runtime) AS call_id
FROM counted
GROUP BY thread_id, runtime_count
HAVING
    count(*) FILTER (WHERE is_runtime) = 1
    AND (count(*) FILTER (WHERE is_init) > 0 OR count(*) FILTER (WHERE is_lookup) >= 100)

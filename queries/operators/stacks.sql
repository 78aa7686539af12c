-- A stack: NVTX ranges in one another, then what ran in the innermost one, with how much of it.
--
-- The last frame is the kernel, copy, set or graph of GPU work and of launches, and the cause of idle time; CPU samples
-- have the functions of their call stack. What counts where is as in operators; the rows sum to the whole.
-- Needs  _gpu_work_ids or NVTX_EVENTS or COMPOSITE_EVENTS
-- Engine  skip _operator_idle_stack unless $weight = 'idle'
-- Parameters
--     weight  ENUM('gpu', 'cpu', 'idle', 'launches', 'samples') = 'gpu'  -- What is counted: nanoseconds of work, of CPU time or of idle time, launching calls, or CPU samples.
--     top     BIGINT = NULL  -- Stacks with most of it to keep; NULL keeps all.
-- Columns
--     stack   VARCHAR  -- Frames, outermost first, between semicolons; a semicolon in a name is a comma.
--     value   BIGINT   -- Nanoseconds, calls or samples.
WITH counted AS (
    SELECT
        _operator_stack.names,
        CASE
            WHEN $weight <> 'cpu'
                THEN coalesce(
                    _activity_name.name,
                    CASE _operator_stack.kind
                        WHEN 'memcpy' THEN '[CUDA memcpy Unknown]'
                        WHEN 'graph' THEN '[CUDA graph Unknown]'
                        ELSE '(no name)'
                    END
                )
        END AS leaf,
        _operator_stack.value
    FROM _operator_stack
    LEFT JOIN _activity_name
        ON
            _operator_stack.kind = _activity_name.kind
            AND _operator_stack.detail_id = _activity_name.detail_id
    WHERE _operator_stack.weight = $weight
    UNION ALL
    SELECT
        _operator_idle_stack.names,
        idle_cause.title AS leaf,
        _operator_idle_stack.value
    FROM _operator_idle_stack
    INNER JOIN idle_cause ON _operator_idle_stack.cause = idle_cause.cause
    WHERE $weight = 'idle'
),

framed AS (
    SELECT
        concat_ws(';', coalesce(nullif(names, ''), '(no range)'), replace(leaf, ';', ',')) AS stack,
        value
    FROM counted
    UNION ALL
    SELECT
        concat_ws(';', nullif(_operator_sample.names, ''), coalesce(_sample_stack.names, '(no call stack)')) AS stack,
        _operator_sample.value
    FROM _operator_sample
    LEFT JOIN _sample_stack ON _operator_sample.chain_id = _sample_stack.chain_id
    WHERE $weight = 'samples'
)

SELECT
    stack,
    sum(value)::BIGINT AS value
FROM framed
GROUP BY stack
ORDER BY
    value DESC,
    stack ASC
LIMIT $top

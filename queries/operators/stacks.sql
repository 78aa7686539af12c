-- A stack and its weight: nested NVTX ranges, then the Python stack, then the work inside the innermost one.
--
-- The last frame is the kernel, copy, memset or graph for GPU work and launches, and the cause for idle time. CPU samples
-- end in the functions of their call stack, after Python's functions those that the interpreter called; without CPU
-- samples, samples of Python stacks count. Attribution is as in operators and lines; the rows sum to the whole.
-- Needs  _gpu_work_ids or NVTX_EVENTS or COMPOSITE_EVENTS
-- Engine  skip _operator_idle_stack unless $weight = 'idle'
-- Parameters
--     weight  ENUM('gpu', 'cpu', 'idle', 'launches', 'samples') = 'gpu'  -- Unit of value: nanoseconds of GPU work, CPU time or idle time, launching calls, or CPU samples.
--     top     BIGINT = NULL  -- Stacks to keep, those with the largest value; NULL keeps all.
-- Columns
--     stack   VARCHAR  -- Frames, outermost first, between semicolons; a semicolon in a name is a comma.
--     value   BIGINT   -- Nanoseconds, calls or samples.
WITH counted AS (
    SELECT
        _operator_stack.names,
        _operator_stack.stack_number,
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
        ON _operator_stack.kind = _activity_name.kind AND _operator_stack.detail_id = _activity_name.detail_id
    WHERE _operator_stack.weight = $weight
    UNION ALL
    SELECT
        _operator_idle_stack.names,
        _operator_idle_stack.stack_number,
        idle_cause.title AS leaf,
        _operator_idle_stack.value
    FROM _operator_idle_stack
    INNER JOIN idle_cause ON _operator_idle_stack.cause = idle_cause.cause
    WHERE $weight = 'idle'
),

framed AS (
    SELECT
        concat_ws(
            ';', coalesce(nullif(counted.names, ''), '(no range)'), _python_stack.names, replace(counted.leaf, ';', ',')
        ) AS stack,
        counted.value
    FROM counted
    LEFT JOIN _python_stack ON counted.stack_number = _python_stack.stack_number
    UNION ALL
    SELECT
        concat_ws(
            ';',
            nullif(_operator_sample.names, ''),
            _python_stack.names,
            CASE
                WHEN _python_stack.names IS NULL THEN coalesce(_sample_stack.names, '(no call stack)')
                WHEN _sample_stack.is_python THEN _sample_stack.inner_names
                ELSE _sample_stack.names
            END
        ) AS stack,
        _operator_sample.value
    FROM _operator_sample
    LEFT JOIN _sample_stack ON _operator_sample.chain_id = _sample_stack.chain_id
    LEFT JOIN _python_stack ON _operator_sample.stack_number = _python_stack.stack_number
    WHERE $weight = 'samples'
)

SELECT
    stack,
    sum(value)::BIGINT AS value
FROM framed
GROUP BY stack
ORDER BY value DESC, stack ASC
LIMIT $top

-- A source line, or a function if no line is known: GPU work launched there, waits, idle time, CPU samples.
--
-- A call is attributed by its own call stack. If that passes through Python's interpreter, or there is none, it is
-- attributed by the nearest Python sample of its thread, at most one sampling interval away, the innermost NVTX range
-- that names a place (file.py:12 name), or the innermost OpenACC event. Idle time is attributed by the call that is its
-- evidence, else in the same ways, then by CPU samples; these count by their own call stack. Time without a place has
-- its own row, so that the rows sum to the whole. In an interval, times are clipped.
-- Needs  _gpu_work_ids or COMPOSITE_EVENTS or python_sample or CUDA_UM_CPU_PAGE_FAULT_EVENTS
-- Engine  skip _idle_piece, _idle_piece_place unless $idle
-- Parameters
--     by    ENUM('line', 'function', 'file') = 'line'  -- What a row is.
--     sort  ENUM('gpu', 'launches', 'wait', 'idle', 'samples', 'name') = 'gpu'  -- What to sort by, largest first; names from A.
--     top   BIGINT = NULL   -- Rows to keep; NULL keeps all.
--     idle  BOOLEAN = true  -- Attribute the idle time of the GPUs, which takes longer.
-- Columns
--     file            VARCHAR  -- Source file; NULL if unknown.
--     line            BIGINT   -- Line; NULL if unknown.
--     _place: function, module
--     how             VARCHAR  -- The evidence for the place, or unattributed.
--     gpu_ns          BIGINT   -- Sum of durations of the GPU work launched there; NULL, like the next three columns, if the export has none.
--     launches        BIGINT   -- Calls that launched GPU work.
--     wait_ns         BIGINT   -- Time in blocking calls, such as synchronizations.
--     idle_ns         BIGINT   -- Idle time attributed there, added over GPUs; NULL without `idle`.
--     cpu_samples     BIGINT   -- CPU samples; NULL, like the next three columns, if none was taken.
--     python_samples  BIGINT   -- Those in which the Python interpreter ran.
--     native_samples  BIGINT   -- Those in which other code of the program or its libraries ran.
--     system_samples  BIGINT   -- Those in which the OS kernel ran.
--     stack_samples   BIGINT   -- Samples of Python stacks, taken whether the thread runs or waits; NULL if there are none.
--     page_faults     BIGINT   -- Page faults of the CPU on unified memory; NULL if none was recorded.
WITH launching AS (
    SELECT
        call_id,
        any_value(thread_id) AS thread_id,
        any_value(api_start_ns) AS start_ns,
        sum(end_ns - start_ns) AS gpu_ns
    FROM _activity_launch
    GROUP BY call_id
),

blocking AS (
    SELECT
        row_id AS call_id,
        thread_id,
        start_ns,
        within_ns(start_ns, end_ns, getvariable('window_start'), getvariable('window_end')) AS wait_ns
    FROM _thread_state
    WHERE source = 'CUPTI_ACTIVITY_KIND_RUNTIME' AND cause = 'sync'
    QUALIFY
        end_ns > coalesce(
            max(end_ns) OVER (
                PARTITION BY thread_id
                ORDER BY start_ns ASC, end_ns DESC, row_id ASC
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ),
            start_ns
        )
),

call AS (
    SELECT
        call_id,
        thread_id,
        start_ns,
        gpu_ns,
        (call_id IS NOT NULL)::BIGINT AS launches,
        0 AS wait_ns
    FROM launching
    UNION ALL
    SELECT
        call_id,
        thread_id,
        start_ns,
        0 AS gpu_ns,
        0 AS launches,
        wait_ns
    FROM blocking
),

evidence AS (
    SELECT
        call.* EXCLUDE (call_id),
        own.place_number,
        own.is_python,
        'call stack' AS how
    FROM call
    LEFT JOIN _call_place AS own ON call.call_id = own.row_id AND own.source = 'CUPTI_ACTIVITY_KIND_RUNTIME'
    UNION ALL BY NAME
    SELECT
        *,
        'CPU sample' AS how
    FROM _sample_place
),

-- Where the thread is, from everything but CPU samples, which count by their own call stacks.
timeline AS (
    SELECT *
    FROM _thread_place
    WHERE how <> 'CPU sample'
),

placed AS (
    SELECT
        evidence.* EXCLUDE (place_number, how),
        evidence.place_number AS own_number,
        evidence.how AS own_how,
        CASE WHEN evidence.start_ns < timeline.end_ns THEN timeline.place_number END AS thread_number,
        CASE WHEN evidence.start_ns < timeline.end_ns THEN timeline.how END AS thread_how,
        own_number IS NOT NULL
        AND NOT (evidence.is_python AND coalesce(starts_with(thread_how, 'Python sample'), false)) AS is_own
    FROM evidence
    ASOF LEFT JOIN timeline ON evidence.thread_id = timeline.thread_id AND evidence.start_ns >= timeline.start_ns
),

idle AS (
    SELECT
        place_number,
        how,
        sum(end_ns - start_ns) AS idle_ns
    FROM _idle_piece_place
    WHERE $idle
    GROUP BY place_number, how
),

fault AS (
    SELECT
        nullif(file.text, '') AS file,
        CASE WHEN file.text <> '' THEN nullif(event.line, 0) END AS line,
        CASE WHEN NOT starts_with(instruction.text, '0x') THEN instruction.text END AS function,
        CASE WHEN coalesce(file.text, '') = '' THEN nullif(regexp_extract(module.text, '[^/\\]*$'), '') END AS module
    FROM cpu_page_fault AS event
    LEFT JOIN string AS file ON event.file_id = file.id
    LEFT JOIN string AS instruction ON event.instruction_id = instruction.id
    LEFT JOIN string AS module ON event.module_id = module.id
),

numbered AS (
    SELECT
        CASE WHEN is_own THEN own_number ELSE thread_number END AS place_number,
        CASE WHEN is_own THEN own_how ELSE thread_how END AS how,
        sum(gpu_ns) AS gpu_ns,
        sum(launches) AS launches,
        sum(wait_ns) AS wait_ns,
        sum((ran = 'python')::BIGINT) AS python_samples,
        sum((ran = 'native')::BIGINT) AS native_samples,
        sum((ran = 'system')::BIGINT) AS system_samples
    FROM placed
    GROUP BY ALL
    UNION ALL BY NAME
    FROM idle
    UNION ALL BY NAME
    SELECT
        CASE
            WHEN $idle
                THEN
                    (SELECT coalesce(sum(end_ns - start_ns), 0) FROM _idle_piece)
                    - (SELECT coalesce(sum(idle_ns), 0) FROM idle)
            ELSE 0
        END AS idle_ns
),

every AS (
    SELECT
        _place.file,
        _place.line,
        _place.function,
        _place.module,
        numbered.* EXCLUDE (place_number)
    FROM numbered
    LEFT JOIN _place ON numbered.place_number = _place.place_number
    UNION ALL BY NAME
    SELECT
        _python_line.file,
        _python_line.line,
        _python_line.function,
        CASE WHEN _python_line.row_id IS NOT NULL THEN 'Python sample' END AS how,
        count(*) AS stack_samples
    FROM python_sample
    LEFT JOIN _python_line ON python_sample.row_id = _python_line.row_id
    GROUP BY ALL
    UNION ALL BY NAME
    SELECT
        file,
        line,
        function,
        module,
        CASE WHEN coalesce(file, function, module) IS NOT NULL THEN 'page fault' END AS how,
        count(*) AS page_faults
    FROM fault
    GROUP BY file, line, function, module
),

grouped AS (
    SELECT
        file,
        CASE WHEN $by = 'line' THEN line END AS line,
        CASE WHEN $by <> 'file' THEN function END AS function,
        module,
        coalesce(string_agg(DISTINCT how, ', ' ORDER BY how), 'unattributed') AS how,
        coalesce(sum(gpu_ns), 0)::BIGINT AS gpu_ns,
        coalesce(sum(launches), 0)::BIGINT AS launches,
        coalesce(sum(wait_ns), 0)::BIGINT AS wait_ns,
        coalesce(sum(idle_ns), 0)::BIGINT AS idle_ns,
        coalesce(sum(python_samples + native_samples + system_samples), 0)::BIGINT AS cpu_samples,
        coalesce(sum(python_samples), 0)::BIGINT AS python_samples,
        coalesce(sum(native_samples), 0)::BIGINT AS native_samples,
        coalesce(sum(system_samples), 0)::BIGINT AS system_samples,
        coalesce(sum(stack_samples), 0)::BIGINT AS stack_samples,
        coalesce(sum(page_faults), 0)::BIGINT AS page_faults
    FROM every
    GROUP BY file, CASE WHEN $by = 'line' THEN line END, CASE WHEN $by <> 'file' THEN function END, module
),

whole AS (
    SELECT
        sum(gpu_ns) > 0
        OR (getvariable('window_start') IS NOT NULL AND EXISTS (FROM _unfiltered_gpu_work)) AS has_work,
        sum(cpu_samples) > 0 AS has_samples,
        sum(stack_samples) > 0 AS has_stacks,
        sum(page_faults) > 0 AS has_faults
    FROM grouped
)

SELECT
    grouped.file,
    grouped.line,
    grouped.function,
    grouped.module,
    grouped.how,
    CASE WHEN whole.has_work THEN grouped.gpu_ns END AS gpu_ns,
    CASE WHEN whole.has_work THEN grouped.launches END AS launches,
    CASE WHEN whole.has_work THEN grouped.wait_ns END AS wait_ns,
    CASE WHEN $idle AND whole.has_work THEN grouped.idle_ns END AS idle_ns,
    CASE WHEN whole.has_samples THEN grouped.cpu_samples END AS cpu_samples,
    CASE WHEN whole.has_samples THEN grouped.python_samples END AS python_samples,
    CASE WHEN whole.has_samples THEN grouped.native_samples END AS native_samples,
    CASE WHEN whole.has_samples THEN grouped.system_samples END AS system_samples,
    CASE WHEN whole.has_stacks THEN grouped.stack_samples END AS stack_samples,
    CASE WHEN whole.has_faults THEN grouped.page_faults END AS page_faults
FROM grouped
CROSS JOIN whole
WHERE
    grouped.how <> 'unattributed'
    OR grouped.gpu_ns + grouped.launches + grouped.wait_ns + grouped.idle_ns > 0
    OR grouped.cpu_samples + grouped.stack_samples + grouped.page_faults > 0
ORDER BY
    CASE $sort
        WHEN 'gpu' THEN grouped.gpu_ns
        WHEN 'launches' THEN grouped.launches
        WHEN 'wait' THEN grouped.wait_ns
        WHEN 'idle' THEN grouped.idle_ns
        WHEN 'samples' THEN CASE WHEN whole.has_samples THEN grouped.cpu_samples ELSE grouped.stack_samples END
    END DESC NULLS LAST,
    CASE WHEN $sort <> 'name' THEN grouped.gpu_ns END DESC NULLS LAST,
    CASE WHEN $sort <> 'name' THEN grouped.idle_ns END DESC NULLS LAST,
    CASE WHEN $sort <> 'name' THEN grouped.cpu_samples END DESC NULLS LAST,
    CASE WHEN $sort <> 'name' THEN grouped.stack_samples END DESC NULLS LAST,
    grouped.file ASC NULLS LAST,
    grouped.line ASC NULLS LAST,
    grouped.function ASC NULLS LAST,
    grouped.module ASC NULLS LAST
LIMIT $top

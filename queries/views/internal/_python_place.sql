-- Intervals of a thread's time with the Python line that it was at.
--
-- That of the nearest sample (view _python_line). Threads of PyTorch's autograd, and all that launch in a process with one
-- Python thread, have the line of the main thread, which waits for them, if they have no samples themselves.
-- Columns
--     how        VARCHAR  -- Python sample, or Python sample of main thread.
--     _python_stretch: thread_id, start_ns, end_ns
WITH alone AS (
    SELECT process_id
    FROM python_sample
    GROUP BY process_id
    HAVING count(DISTINCT number) <= 1
),

autograd AS (
    SELECT DISTINCT thread_id
    FROM thread
    WHERE starts_with(name, 'pt_autograd')
),

launching AS (
    SELECT DISTINCT thread_id
    FROM _api_call_ids
    WHERE (SELECT count(*) FROM _python_stretch) > 0
),

helper AS (
    SELECT launching.thread_id
    FROM launching
    ANTI JOIN _python_stretch ON launching.thread_id = _python_stretch.thread_id
    WHERE
        process_of(launching.thread_id) IN (SELECT alone.process_id FROM alone)
        OR launching.thread_id IN (SELECT autograd.thread_id FROM autograd)
),

placed AS (
    SELECT
        stretch.thread_id,
        stretch.start_ns,
        stretch.end_ns,
        python_line.* EXCLUDE (row_id)
    FROM _python_stretch AS stretch
    INNER JOIN _python_line AS python_line ON stretch.row_id = python_line.row_id
)

SELECT
    'Python sample' AS how,
    *
FROM placed
UNION ALL
SELECT
    'Python sample of main thread' AS how,
    placed.* REPLACE (helper.thread_id AS thread_id)
FROM helper
INNER JOIN placed ON (process_of(helper.thread_id) | pid_of(helper.thread_id)) = placed.thread_id

-- A check of the export and a table: how many rows of it fail the check, and what that means.
--
-- Checks of clocks and consistency. A check that finds nothing has one row, without a table; `suspect_rows` lists
-- the rows themselves.
-- Needs  _check_finding
-- Parameters
--     check_id  ENUM('end_before_start', 'outside_capture', 'name_without_text', 'work_without_launch',
--         'work_before_call', 'launch_without_work', 'overlap_on_stream', 'repeated_correlation_id', 'range_never_popped') = NULL  -- Only this check.
-- Columns
--     check_id    VARCHAR  -- The check.
--     source      VARCHAR  -- NVIDIA's table; NULL if the check finds nothing.
--     rows_found  BIGINT   -- Rows found by the check.
--     first_ns    BIGINT   -- Start of the first of them.
--     last_ns     BIGINT   -- Start of the last of them.
--     before_ns   BIGINT   -- Longest time that GPU work starts before its call; NULL of other checks.
--     title       VARCHAR  -- The check's name for people.
--     meaning     VARCHAR  -- What a finding means for the numbers.
--     touches     VARCHAR  -- Affected answers: those that read these tables, or this column; NULL for the table itself.
--     needs       VARCHAR  -- Views without which there is nothing to check, as in a query's header.
WITH capture_check AS (
    FROM (
        VALUES
        -- noqa: disable=LT05
        (1, 'end_before_start', 'ends before starts', 'their length is negative and makes totals too small; they keep no GPU busy', NULL, '_timed_event'),
        (2, 'outside_capture', 'times outside of the capture', 'they began before its start or ended after its end; they count in full, as in nsys; in idle time, parts and findings GPU work that ends far beyond counts up to the end of the capture', NULL, '_timed_event'),
        (3, 'name_without_text', 'names without text', 'their number is not in StringIds: they have no name and fall into one group', NULL, '_timed_event'),
        (4, 'work_without_launch', 'GPU work without its launch', 'no API call of its process has its correlation id (it came before the capture, or was lost): no launch, queue time or NVTX range is known of it', 'CUPTI_ACTIVITY_KIND_RUNTIME.correlationId', '_gpu_work_ids, _api_call_ids'),
        (5, 'work_before_call', 'GPU work before its call', 'it cannot start before the call that launched it, so the GPU''s clock and the CPU''s differ by at least that time; queue times and causes of gaps as short are not certain', 'CUPTI_ACTIVITY_KIND_RUNTIME.correlationId', '_gpu_work_ids, _api_call_ids'),
        (6, 'launch_without_work', 'launches without GPU work', 'calls that succeeded, not into a graph being captured, and of whose work nothing was recorded (it came after the capture, was lost, or had 0 bytes): kernels, copies and busy time can be too few', 'CUPTI_ACTIVITY_KIND_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_GRAPH_TRACE', '_api_call_ids'),
        (7, 'overlap_on_stream', 'overlaps on a stream', 'work that starts before earlier work of its stream has ended: sums of times count the overlap twice, busy and idle time do not; right with programmatic dependent launch, otherwise a sign of inexact times', NULL, '_gpu_work_ids'),
        (8, 'repeated_correlation_id', 'repeated correlation ids', 'several API calls of a process share one id: launches joins work to the first of them, reports of nsys join it to each', 'CUPTI_ACTIVITY_KIND_RUNTIME.correlationId', '_api_call_ids'),
        (9, 'range_never_popped', 'NVTX ranges that are never popped', 'over 64 on one thread: all later ranges of the thread are nested in them; paths of ranges have the outermost 64 only', NULL, 'nvtx_range')
    ) AS known (position, check_id, title, meaning, touches, needs)
),

found AS (
    SELECT
        check_id,
        source,
        count(*) AS rows_found,
        min(start_ns) AS first_ns,
        max(start_ns) AS last_ns,
        max(before_ns) AS before_ns
    FROM _check_finding
    WHERE $check_id IS NULL OR check_id = $check_id
    GROUP BY check_id, source
)

SELECT
    capture_check.check_id,
    found.source,
    coalesce(found.rows_found, 0) AS rows_found,
    found.first_ns,
    found.last_ns,
    found.before_ns,
    capture_check.title,
    capture_check.meaning,
    capture_check.touches,
    capture_check.needs
FROM capture_check
LEFT JOIN found ON capture_check.check_id = found.check_id
WHERE $check_id IS NULL OR capture_check.check_id = $check_id
ORDER BY capture_check.position ASC, rows_found DESC, found.source ASC NULLS FIRST

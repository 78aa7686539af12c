-- Checks of an export: what each looks for, what a finding means for the numbers, and which tables it affects.
--
-- Engine  table
-- Columns
--     position   BIGINT   -- Place in the list.
--     check_id   VARCHAR  -- The check.
--     title      VARCHAR  -- Its name for people.
--     meaning    VARCHAR  -- What a finding means for the numbers.
--     touches    VARCHAR  -- Answers touched: those that read these tables, or this column; NULL: the rows' own table.
--     needs      VARCHAR  -- Views without which there is nothing to check, as in a query's header.
SELECT
    position::BIGINT AS position,
    check_id,
    title,
    meaning,
    touches,
    needs
FROM (
    VALUES
    -- noqa: disable=LT05
    (1, 'end_before_start', 'ends before starts', 'their length is negative and makes totals too small; they keep no GPU busy', NULL, '_timed_event'),
    (2, 'outside_capture', 'times outside of the capture', 'they began before its start or ended after its end; they count in full, as in nsys', NULL, '_timed_event'),
    (3, 'name_without_text', 'names without text', 'their number is not in StringIds: they have no name and fall into one group', NULL, '_timed_event'),
    (4, 'work_without_launch', 'GPU work without its launch', 'no API call of its process has its correlation id (it came before the capture, or was lost): no launch, queue time or NVTX range is known of it', 'CUPTI_ACTIVITY_KIND_RUNTIME.correlationId', '_gpu_work_ids, _api_call_ids'),
    (5, 'launch_without_work', 'launches without GPU work', 'calls that succeeded, not into a graph being captured, and of whose work nothing was recorded (it came after the capture, was lost, or had 0 bytes): kernels, copies and busy time can be too few', 'CUPTI_ACTIVITY_KIND_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_GRAPH_TRACE', '_api_call_ids'),
    (6, 'overlap_on_stream', 'overlaps on a stream', 'work that starts before earlier work of its stream has ended: sums of times count the overlap twice, busy and idle time do not; right with programmatic dependent launch, otherwise a sign of inexact times', NULL, '_gpu_work_ids'),
    (7, 'repeated_correlation_id', 'repeated correlation ids', 'several API calls of a process share one id: launches joins work to the first of them, reports of nsys join it to each', 'CUPTI_ACTIVITY_KIND_RUNTIME.correlationId', '_api_call_ids')
) AS known (position, check_id, title, meaning, touches, needs)

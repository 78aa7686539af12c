-- CUDA API calls that launched GPU work, with the NVTX ranges around them: a row per call and range.
--
-- A call is inside a range that starts no later and ends no earlier.
-- Needs  _nvtx_range_ids, _api_call_ids, _gpu_work_ids
-- Columns
--     _nvtx_range_launch_fallback: range_row_id, range_start_ns, call_row_id
WITH held AS (
    SELECT
        range_row_id,
        range_start_ns,
        unnest(range(first_place, end_place)) AS place
    FROM _nvtx_launch_span
)

SELECT
    held.range_row_id,
    held.range_start_ns,
    _launch_position.call_row_id
FROM held
INNER JOIN _launch_position ON held.place = _launch_position.place

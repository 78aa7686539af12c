-- A CUDA API call that launched GPU work, in an NVTX range of its thread: a row for each range around it.
--
-- A call lies in a range that starts no later and ends no earlier.
-- Needs  nvtx_range_record, api_call_record, gpu_work_record
-- Columns
--     range_row_id    BIGINT  -- Position of the range in the export's table.
--     range_start_ns  BIGINT  -- Start of the range.
--     call_row_id     BIGINT  -- Position of the call in the export's table.
WITH held AS (
    SELECT
        range_row_id,
        range_start_ns,
        unnest(range(first_place, end_place)) AS place
    FROM nvtx_call_span
)

SELECT
    held.range_row_id,
    held.range_start_ns,
    nvtx_call_place.call_row_id
FROM held
INNER JOIN nvtx_call_place ON held.place = nvtx_call_place.place

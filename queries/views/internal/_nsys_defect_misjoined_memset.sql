-- Memsets of pinned or managed memory whose correlation id also belongs to a memset call of another process.
--
-- Correlation ids are unique within a process only; `nsys analyze` joins by them alone.
-- Needs  memset, _unfiltered_api_call
-- Columns
--     row_id          BIGINT  -- The set's position in the export's table.
--     process_id      BIGINT  -- Its process (globalPid).
--     correlation_id  BIGINT  -- The id.
SELECT
    memset.row_id,
    memset.process_id,
    memset.correlation_id
FROM memset
INNER JOIN _unfiltered_api_call AS call ON memset.correlation_id = call.correlation_id
WHERE
    memset.process_id <> call.process_id
    AND memset.memory_kind IN ('Pinned', 'Managed')
    AND call.name ILIKE 'cudaMemset%'
    AND call.name NOT ILIKE '%Async%'

-- Memcpys whose correlation id also belongs to a memcpy call of another process.
--
-- Correlation ids are unique within a process only; `nsys analyze` joins by them alone.
-- Needs  memcpy, _unfiltered_api_call
-- Columns
--     row_id          BIGINT  -- The copy's position in the export's table.
--     process_id      BIGINT  -- Its process (globalPid).
--     correlation_id  BIGINT  -- The id.
SELECT
    memcpy.row_id,
    memcpy.process_id,
    memcpy.correlation_id
FROM memcpy
INNER JOIN _unfiltered_api_call AS call ON memcpy.correlation_id = call.correlation_id
WHERE memcpy.process_id <> call.process_id AND call.name ILIKE 'cudaMemcpy%'

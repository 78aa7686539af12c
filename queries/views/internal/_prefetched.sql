-- A migration of unified memory that the program prefetched, with the call.
--
-- The export marks it as a prefetch (migration cause 1); the call is the last cudaMemPrefetchAsync of its process that
-- began before it. Pages that a fault moves have none.
-- Needs  memcpy, _api_call_ids
-- Engine  table if EXISTS (FROM string WHERE regexp_matches(text, '^cu(da)?MemPrefetch'))
-- Columns
--     row_id          BIGINT  -- Position of the migration in the export's table of copies.
--     correlation_id  BIGINT  -- Correlation id of the call.
WITH call AS (
    SELECT
        call.process_id,
        call.start_ns,
        call.correlation_id
    FROM _api_call_ids AS call
    INNER JOIN string ON call.name_id = string.id
    WHERE regexp_matches(string.text, '^cu(da)?MemPrefetch')
)

SELECT
    memcpy.row_id,
    call.correlation_id
FROM memcpy
ASOF INNER JOIN call ON memcpy.process_id = call.process_id AND memcpy.start_ns >= call.start_ns
WHERE memcpy.migration_cause = 1

-- The name and times of a CUDA API call, as numbers: what sums of calls need.
--
-- The idle ledger reads all calls: where it was computed, they are not read from the export again.
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
-- Given by  nsysql.idle.ledger
-- Columns
--     thread_id  BIGINT  -- Thread (globalTid).
--     start_ns   BIGINT  -- Start of the call.
--     end_ns     BIGINT  -- Return of the call.
--     name_id    BIGINT  -- Name, with version suffix.
SELECT
    thread_id,
    start_ns,
    end_ns,
    name_id
FROM api_call_record

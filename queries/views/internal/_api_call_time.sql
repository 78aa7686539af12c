-- CUDA API calls as name id and times: all that sums of calls need.
--
-- Filled from the ledger's data when that has been computed, to avoid a second scan.
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
-- Columns
--     _api_call_ids: thread_id, start_ns, end_ns, name_id
SELECT
    thread_id,
    start_ns,
    end_ns,
    name_id
FROM _api_call_ids

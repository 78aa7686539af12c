-- CUDA API calls, regardless of the time filter.
--
-- For questions about work on the GPU that want its call too, which may be over before the time begins.
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
SELECT
    call.rowid AS row_id,
    call.start AS start_ns,
    call."end" AS end_ns,
    process_of(call.globalTid) AS process_id,
    call.correlationId AS correlation_id,
    string.text AS name
FROM unfiltered.CUPTI_ACTIVITY_KIND_RUNTIME AS call
LEFT JOIN string ON call.nameId = string.id

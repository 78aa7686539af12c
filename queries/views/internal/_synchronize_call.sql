-- Calls of cudaDeviceSynchronize and cudaStreamSynchronize: the CPU waits for the GPU.
--
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
-- Engine  pushdown CUPTI_ACTIVITY_KIND_RUNTIME where nameId IN (SELECT id FROM StringIds
--         WHERE value LIKE 'cudadevicesynchronize%' OR value LIKE 'cudastreamsynchronize%')
SELECT
    call.rowid AS row_id,
    call.start AS start_ns,
    call."end" - call.start AS dur_ns,
    pid_of(call.globalTid) AS pid,
    tid_of(call.globalTid) AS tid,
    string.text AS name
FROM pushdown._synchronize_call AS call
INNER JOIN string ON call.nameId = string.id

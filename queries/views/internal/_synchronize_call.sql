-- Calls of cudaDeviceSynchronize and cudaStreamSynchronize: the CPU waits for the GPU.
--
-- Few among many, so SQLite filters them.
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
-- Engine  pushdown CUPTI_ACTIVITY_KIND_RUNTIME where nameId IN (SELECT id FROM StringIds
--         WHERE lower(value) LIKE 'cudadevicesynchronize%' OR lower(value) LIKE 'cudastreamsynchronize%')
-- Columns
--     row_id    BIGINT   -- Position in the export's table.
--     start_ns  BIGINT   -- Start of the call.
--     dur_ns    BIGINT   -- Duration.
--     pid       BIGINT   -- The operating system's process number.
--     tid       BIGINT   -- The operating system's thread number.
--     name      VARCHAR  -- Name, with version suffix.
SELECT
    call.rowid AS row_id,
    call.start AS start_ns,
    call."end" - call.start AS dur_ns,
    pid_of(call.globalTid) AS pid,
    tid_of(call.globalTid) AS tid,
    string.text AS name
FROM pushdown._synchronize_call AS call
INNER JOIN string ON call.nameId = string.id

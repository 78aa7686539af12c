-- GPU work with the start and end of the call that launched it: what operators count.
--
-- Work without a length is left out. In any order. Of calls that share process and correlation id, the first in the
-- export's table.
-- Needs  _gpu_work_ids
-- Engine  whole
-- Columns
--     gpu_id        BIGINT   -- Physical GPU.
--     _gpu_work_ids: start_ns, end_ns
--     kind          ENUM('kernel', 'memcpy', 'memset', 'graph')  -- Kind of work.
--     detail_id     BIGINT   -- Which of its kind: name number of a kernel, direction of a copy, graph id.
--     _gpu_work_ids: stream_id, row_id
--     thread_id     BIGINT   -- Thread that launched it (globalTid); this and what follows NULL if not recorded.
--     call_id       BIGINT   -- Position of the call in the export's table.
--     api_start_ns  BIGINT   -- Start of the call.
--     api_end_ns    BIGINT   -- Return of the call.
SELECT
    work.gpu_id,
    work.start_ns,
    work.end_ns,
    work.kind::ENUM('kernel', 'memcpy', 'memset', 'graph') AS kind,
    work.detail_id,
    work.stream_id,
    work.row_id,
    call.thread_id,
    call.row_id AS call_id,
    call.start_ns AS api_start_ns,
    call.end_ns AS api_end_ns
FROM _gpu_work_ids AS work
LEFT JOIN _correlated_call AS call ON work.process_id = call.process_id AND work.correlation_id = call.correlation_id
WHERE work.end_ns > work.start_ns

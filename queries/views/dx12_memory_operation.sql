-- Memory operations of Direct3D 12 calls.
--
-- Needs  DX12_API, DX12_MEMORY_OPERATION
-- Columns
--     api_call: row_id, start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid
--     gpu_id             BIGINT   -- GPU.
--     name               VARCHAR  -- Function, such as ID3D12Device::CreateHeap.
--     heap_type          BIGINT   -- Kind of heap: 1 upload, 2 readback.
--     heap_flags         BIGINT   -- Flags of the heap; 0x1000 is not zeroed.
--     cpu_page_property  BIGINT   -- How the CPU caches its pages: 2 write-combine, 3 write-back.
SELECT
    operation.rowid AS row_id,
    unnest(thread_times(call.start, call."end", call.globalTid)) AS called,
    operation.gpu AS gpu_id,
    string.text AS name,
    operation.heapType AS heap_type,
    operation.heapFlags AS heap_flags,
    operation.cpuPageProperty AS cpu_page_property
FROM raw.DX12_MEMORY_OPERATION AS operation
INNER JOIN raw.DX12_API AS call ON operation.traceEventId = call.id
LEFT JOIN string ON call.nameId = string.id

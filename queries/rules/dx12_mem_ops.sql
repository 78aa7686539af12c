-- Direct3D 12 calls that use memory inefficiently.
--
-- Heaps and committed resources that are filled with zeros because D3D12_HEAP_FLAG_CREATE_NOT_ZEROED is not
-- set; reads from upload heaps or write-combine pages; writes to readback heaps or write-back pages.
-- Needs  dx12_memory_operation
-- Parameters
--     top      BIGINT = NULL    -- Longest calls to keep; NULL keeps all.
-- Columns
--     cuda_api_sync: duration_ns, start_ns, tid
--     device_id     BIGINT   -- [Device ID] GPU.
--     warning_type  VARCHAR  -- [Warning Type] What is slow.
-- Same as  nsys analyze --rule dx12_mem_ops
WITH judged AS (
    SELECT
        *,
        CASE
            WHEN name ILIKE 'ID3D12Device::CreateHeap%' AND heap_flags & 4096 = 0
                THEN 'D3D12_HEAP_CREATED_WITH_ZEROING'
            WHEN name ILIKE 'ID3D12Device::CreateCommittedResource%' AND heap_flags & 4096 = 0
                THEN 'D3D12_COMMITTED_RESOURCE_CREATED_WITH_ZEROING'
            WHEN name ILIKE '%ReadFromSubresource%' AND heap_type = 1
                THEN 'D3D12_READ_FROM_UPLOAD_HEAP_SUBRESOURCE'
            WHEN name ILIKE '%ReadFromSubresource%' AND cpu_page_property = 2
                THEN 'D3D12_READ_FROM_SUBRESOURCE_TO_WRITE_COMBINE_PAGE'
            WHEN name ILIKE '%WriteToSubresource%' AND heap_type = 2
                THEN 'D3D12_WRITE_TO_READBACK_HEAP_SUBRESOURCE'
            WHEN name ILIKE '%WriteToSubresource%' AND cpu_page_property = 3
                THEN 'D3D12_WRITE_TO_SUBRESOURCE_FROM_WRITE_BACK_PAGE'
        END AS warning_type
    FROM dx12_memory_operation
)

SELECT
    dur_ns AS duration_ns,
    start_ns,
    tid,
    gpu_id AS device_id,
    warning_type
FROM judged
WHERE warning_type IS NOT NULL
ORDER BY dur_ns DESC, row_id ASC
LIMIT $top

-- Blocking calls that wait for a small value.
--
-- After each, the GPU is idle until the host launches again. Removing the calls saves about that idle time, or the time in
-- them if that is less; a replay estimates it more exactly.
-- Needs  _idle_gap, _api_call_ids
-- Finding
--     says  {value_count} of {call_count} blocking calls ({subject}) wait for a copy of at most 64 bytes; after them the GPU is idle for {total_ns}.
--     do if is_torch  Keep the value on the GPU or create it there (device=...), or read it only every n steps.
--     do  Keep the value on the GPU or create it there, or read it only every n steps.
-- Columns
--     call_count    BIGINT   -- Blocking calls.
--     value_count   BIGINT   -- Those that wait for a small copy.
--     launch_count  BIGINT   -- Calls that queue kernels, copies and memsets.
--     is_copy       BOOLEAN  -- The subject is a call that copies.
--     is_torch      BOOLEAN  -- A Python program launches PyTorch's kernels.
SELECT
    sync.part_id,
    sync.gpu_id,
    sync.name AS subject,
    sync.idle_ns::BIGINT AS total_ns,
    (least(sync.idle_ns, sync.call_ns))::BIGINT AS saves_ns,
    CASE WHEN sync.code LIKE '%value' THEN 'about' ELSE 'at most' END AS bound,  -- only these are never needed
    'likely' AS certainty,
    false AS once,
    'sync' AS claims,
    sync.call_count,
    sync.value_count,
    sync.launch_count,
    contains(lower(sync.name), 'memcpy') AS is_copy,
    torch.part_id IS NOT NULL AS is_torch
FROM _part_sync AS sync
LEFT JOIN _torch_part AS torch ON sync.part_id = torch.part_id
WHERE sync.code = 'sync-for-value'
ORDER BY sync.part_id

-- Vulkan calls on the CPU, with their names as ids of `string`.
--
-- Needs  VULKAN_API
-- Columns
--     _os_call_ids: row_id, start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid, name_id
--     event_class     BIGINT  -- 53 for calls, 93 for batches of submitted work.
--     context_id      BIGINT  -- Context.
--     correlation_id  BIGINT  -- Shared with other events of the call.
SELECT
    rowid AS row_id,
    unnest(thread_times(start, "end", globalTid)) AS called,
    nameId AS name_id,
    eventClass AS event_class,
    contextId AS context_id,
    correlationId AS correlation_id
FROM raw.VULKAN_API

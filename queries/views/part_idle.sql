-- Idle time of a GPU in a part: by cause, preceding blocking call, and place in the program.
--
-- Needs  _idle_gap
-- Columns
--     usual: part_id, gpu_id
--     cause        VARCHAR  -- The cause (query idle-causes).
--     claim        VARCHAR  -- Which advice it is about: profiler, once, allocation, managed, staging, sync, queued, short (gaps below 200 us) or long.
--     _part_idle: is_long, is_rare, thread_id, nvtx_path
--     _part_idle: function, waits_for, call_name, drained_by, next_kind, idle_ns, gap_count, longest_ns
--     step_count   BIGINT   -- Steady steps in which it occurs.
SELECT
    * EXCLUDE (steps, long_gaps, place_ns),
    len(steps::BIGINT[]) AS step_count
FROM _part_idle

-- Idle time of a GPU in a part: by cause and what it follows, with where the program was.
--
-- Needs  _idle_gap
-- Columns
--     part_id      BIGINT   -- The part.
--     gpu_id       BIGINT   -- Physical GPU.
--     cause        VARCHAR  -- The cause (query idle-causes).
--     claim        VARCHAR  -- Which advice it is about: profiler, once, allocation, managed, staging, sync, queued, short (gaps below 200 us) or long.
--     is_long      BOOLEAN  -- In a gap of 200 us or more.
--     thread_id    BIGINT   -- Thread that launched the next activity.
--     nvtx_path    VARCHAR  -- NVTX ranges that the thread was in.
--     function     VARCHAR  -- Function that the thread was in, by call stacks.
--     waits_for    VARCHAR  -- Thread or rank that it waited for.
--     call_name    VARCHAR  -- Call or function of the operating system that is the evidence.
--     drained_by   VARCHAR  -- Blocking call after which the queue was empty.
--     next_kind    VARCHAR  -- Kind of the activity that ended the gap.
--     idle_ns      BIGINT   -- Idle time.
--     gap_count    BIGINT   -- Gaps.
--     longest_ns   BIGINT   -- Most of one gap that is under this.
--     step_count   BIGINT   -- Steady steps in which it occurs.
SELECT
    * EXCLUDE (steps),
    len(steps::BIGINT[]) AS step_count
FROM _part_idle

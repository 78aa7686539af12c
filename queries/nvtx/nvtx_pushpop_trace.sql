-- NVTX push/pop ranges with their nesting: parent, level, children.
--
-- The parent of a range is the shortest other range of its thread that starts no later and ends no earlier, whatever
-- its domain. A range that was never closed ends at the latest timestamp of any push/pop range. NVIDIA
-- leaves out ranges of equal start and end on one thread, with all ranges nested in them.
-- Needs  _nvtx_push_pop
-- Parameters
--     as_nsys  BOOLEAN = false  -- Leave out what NVIDIA leaves out.
-- Columns
--     start_ns          BIGINT   -- [Start (ns)] Start.
--     end_ns            BIGINT   -- [End (ns)] End.
--     duration_ns       BIGINT   -- [Duration (ns)] Duration.
--     dur_child_ns      BIGINT   -- [DurChild (ns)] Sum of the durations of the ranges directly in it.
--     dur_non_child_ns  BIGINT   -- [DurNonChild (ns)] The rest of its duration.
--     name              VARCHAR  -- [Name] domain:text, or the text if there is no domain.
--     pid               BIGINT   -- [PID] Process.
--     tid               BIGINT   -- [TID] Thread.
--     level             BIGINT   -- [Lvl] Number of ranges around it.
--     num_child         BIGINT   -- [NumChild] Number of ranges directly in it.
--     range_id          BIGINT   -- [RangeId] Position in the export's table.
--     parent_id         BIGINT   -- [ParentId] The range around it; NULL for none.
--     range_stack       VARCHAR  -- [RangeStack] Range ids from the outermost range to this one, such as :2:7.
--     name_tree         VARCHAR  -- [NameTree] Name, set in by two dashes per level.
-- Same as  nsys stats --report nvtx_pushpop_trace
SELECT
    node.start_ns,
    node.end_ns,
    node.end_ns - node.start_ns AS duration_ns,
    coalesce(CASE WHEN $as_nsys THEN node.nsys_dur_child_ns ELSE node.dur_child_ns END, 0) AS dur_child_ns,
    node.end_ns - node.start_ns
    - coalesce(CASE WHEN $as_nsys THEN node.nsys_dur_child_ns ELSE node.dur_child_ns END, 0) AS dur_non_child_ns,
    node.name,
    pid_of(node.thread_id) AS pid,
    tid_of(node.thread_id) AS tid,
    node.level,
    coalesce(CASE WHEN $as_nsys THEN node.nsys_num_child ELSE node.num_child END, 0) AS num_child,
    node.row_id AS range_id,
    node.parent_row_id AS parent_id,
    node.path AS range_stack,
    repeat('--', node.level) || node.name AS name_tree
FROM nvtx_push_pop_tree AS node
WHERE NOT ($as_nsys AND node.is_lost_by_nsys)
ORDER BY node.start_ns ASC, duration_ns ASC, node.level ASC, node.root_row_id ASC, range_id ASC

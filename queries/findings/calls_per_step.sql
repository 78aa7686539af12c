-- CUDA calls that recur while the GPU is idle: device queries, graph building, module loading, slow launches.
--
-- In at least three gaps of at least 200 us. Slow launches count only in gaps that do not follow a blocking call; module
-- loading and context set-up only in steps, since elsewhere they are start-up. Allocation belongs to allocation-per-step.
-- Needs  _idle_gap
-- Finding
--     says  The launching thread is in CUDA calls ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do if is_graph  Instantiate a graph once; update it (cudaGraphExecUpdate) and launch it again.
--     do if is_module  Load modules and set up contexts once, before the loop.
--     do if is_interop  Mapping waits for the graphics work that uses the resource, or for the display: map once for several frames, or turn vertical sync off to measure.
--     do if is_elsewhere  These calls launch work on other GPUs: launch from a thread or process for each GPU.
--     do if rival  Another thread is in {rival} for {rival_ns}, which can hold the driver's lock: call it less often.
--     do if is_launch  The call itself is slow: it copies pageable memory, waits for a lock that other threads hold, or launches a large graph.
--     do  Call it less often: once before the loop if what it returns stays the same.
-- Columns
--     is_graph      BOOLEAN  -- It builds CUDA graphs.
--     is_module     BOOLEAN  -- It loads modules or sets up contexts.
--     is_launch     BOOLEAN  -- It launches work.
--     is_interop    BOOLEAN  -- It shares resources with graphics.
--     is_elsewhere  BOOLEAN  -- On other GPUs.
--     rival         VARCHAR  -- Longest call of threads that launch nothing, if they are in calls for half of that time.
--     rival_ns      BIGINT   -- Time of such calls.
--     _part_claim: gap_count, longest_ns, nvtx_path
WITH known AS (
    SELECT DISTINCT
        name,
        cause,
        is_launch
    FROM _api_cause
),

beside AS (
    SELECT
        part_id,
        name,
        total_ns,
        cause <> 'sync' AND NOT bool_or(cause = 'launch') OVER (PARTITION BY part_id, thread_id) AS holds
    FROM part_call
),

rival AS (
    SELECT
        part_id,
        arg_max(name, row(total_ns, name)) AS name,
        sum(total_ns)::BIGINT AS total_ns
    FROM beside
    WHERE holds
    GROUP BY part_id
)

SELECT
    claim.part_id,
    claim.gpu_id,
    claim.subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'long' AS claims,
    coalesce(known.cause = 'graph_build', false) AS is_graph,
    coalesce(known.cause IN ('module_load', 'context_setup'), false) AS is_module,
    coalesce(known.is_launch, false) AS is_launch,
    regexp_matches(claim.subject, '^cu(da)?Graphics') AS is_interop,
    coalesce(known.is_launch AND 2 * elsewhere.idle_ns > claim.idle_ns, false) AS is_elsewhere,
    CASE WHEN known.is_launch AND 2 * rival.total_ns > claim.idle_ns THEN rival.name END AS rival,
    rival.total_ns AS rival_ns,
    claim.gap_count,
    claim.longest_ns,
    claim.nvtx_path
FROM _part_claim AS claim
LEFT JOIN known ON claim.subject = known.name
LEFT JOIN _launching_elsewhere AS elsewhere ON claim.part_id = elsewhere.part_id
LEFT JOIN rival ON claim.part_id = rival.part_id
WHERE claim.code = 'calls-per-step' AND claim.gap_count >= RECURRING_COUNT
ORDER BY claim.part_id

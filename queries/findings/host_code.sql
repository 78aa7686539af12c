-- Long gaps in which the launching thread runs code outside of CUDA calls.
--
-- Gaps of at least 200 us, also after blocking calls; shorter ones count, too, in a part that is not launch-bound
-- if all together take over 15 % of it and the shorter ones over 5 %. Of those after blocking calls the share counts that
-- would be left without the calls. After waits for values sync-for-value claims this time, too: faster code or no wait
-- would save it.
-- Needs  _idle_gap
-- Finding
--     says  The launching thread runs host code while the GPU is idle: {total_ns} in {gap_count} gaps.
--     says if is_whole  The launching thread runs host code while the GPU is idle: {total_ns} in {gap_count} gaps, all in {place}.
--     says if place  The launching thread runs host code while the GPU is idle: {total_ns} in {gap_count} gaps, {place_ns} of it in {place}.
--     says if is_rare  The launching thread runs host code while the GPU is idle: {total_ns} in {gap_count} gaps, most of it in {in_steps} of {step_count} steps.
--     do if is_spread  The thread launches for other GPUs meanwhile: launch from a thread or process for each GPU.
--     do if is_rare  Do it ahead, less often or in another thread; nsysql idle-gaps shows these gaps.
--     do if is_far_longer  Make this code faster, or give the GPU more work at a time: the GPU is busy for only {busy_ns}, so overlap hides little.
--     do if is_sampled  Prepare the next work while the GPU computes, or make this code faster.
--     do  Prepare the next work while the GPU computes, or make this code faster; --sample=process-tree names its functions.
-- Columns
--     place          VARCHAR  -- Function or NVTX ranges with the most; NULL if not known or less than a fifth.
--     place_ns       BIGINT   -- Idle time of the place.
--     is_function    BOOLEAN  -- The place is a function, from call stacks.
--     is_sampled     BOOLEAN  -- The export has call stacks of such code.
--     is_far_longer  BOOLEAN  -- It takes more than four times as long as the GPU works in the part.
--     is_spread      BOOLEAN  -- The thread launches work on other GPUs then, for over a fifth of that time.
--     is_rare        BOOLEAN  -- Most of it occurs in fewer than half of the steps.
--     is_whole       BOOLEAN  -- All of it is in the place, in most steps.
--     in_steps       BIGINT   -- Steps in which most of it occurs.
--     step_count     BIGINT   -- Steps of the part.
--     busy_ns        BIGINT   -- How long the GPU works in the part.
--     _part_claim: gap_count, longest_ns, nvtx_path
SELECT
    claim.part_id,
    claim.gpu_id,
    claim.subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    CASE WHEN claim.is_function THEN 'likely' ELSE 'possible' END AS certainty,
    false AS once,
    'long' AS claims,
    CASE WHEN claim.subject_ns >= PLACE_SHARE * claim.idle_ns THEN claim.subject END AS place,
    claim.subject_ns AS place_ns,
    claim.is_function,
    claim.is_function OR EXISTS (
        SELECT place.gap_id
        FROM _idle_piece_function AS place
    ) AS is_sampled,
    claim.idle_ns > 4 * part.busy_ns AS is_far_longer,
    coalesce(elsewhere.idle_ns > PLACE_SHARE * claim.idle_ns, false) AS is_spread,
    claim.in_steps < STEPS_SHARE * part.step_count AS is_rare,
    coalesce(claim.subject_ns = claim.idle_ns, false) AND is_rare IS NOT true AS is_whole,
    claim.in_steps,
    part.step_count,
    part.busy_ns,
    claim.gap_count,
    claim.longest_ns,
    claim.nvtx_path
FROM _part_claim AS claim
INNER JOIN part ON claim.part_id = part.part_id
LEFT JOIN _launching_elsewhere AS elsewhere ON claim.part_id = elsewhere.part_id
WHERE claim.code = 'host-code'
ORDER BY claim.part_id

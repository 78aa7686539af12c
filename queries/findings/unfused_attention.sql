-- Softmax, scale and masks between two matrix products: attention in separate kernels.
--
-- Each kernel reads and writes the whole score matrix; a fused kernel keeps it on the SM. At most 8 kernels on a stream, one
-- of them softmax and the others elementwise; over 2 % of the busy time.
-- Needs  _kernel_ids
-- Finding
--     says  {count} softmax, scale and mask kernels between matrix products take {total_ns}.
--     do if is_torch  Use torch.nn.functional.scaled_dot_product_attention, or FlashAttention.
--     do  Use a fused attention: FlashAttention, cuDNN's, or jax.nn.dot_product_attention.
-- Columns
--     count     BIGINT   -- Softmax, scale and mask kernels.
--     is_torch  BOOLEAN  -- A Python program launches PyTorch's kernels.
WITH ordered AS (
    SELECT
        work.part_id,
        work.process_id,
        work.stream_id,
        work.end_ns - work.start_ns AS dur_ns,
        work.alone_ns,
        known.class,
        coalesce(known.class IN ('softmax', 'elementwise'), false) AS is_inner,
        count_if(NOT is_inner) OVER (
            PARTITION BY work.part_id, work.process_id, work.stream_id ORDER BY work.start_ns, work.row_id
        ) AS run_id  -- begins with a kernel of another class
    FROM _part_activity AS work
    LEFT JOIN _kernel_class AS known ON work.detail_id = known.name_id
    WHERE work.kind = 'kernel' AND work.part_id IN (
        SELECT part_id FROM part_kernel
        WHERE class = 'softmax'
    )
),

run AS (
    SELECT
        part_id,
        coalesce(sum(dur_ns) FILTER (WHERE is_inner), 0) AS dur_ns,
        coalesce(sum(alone_ns) FILTER (WHERE is_inner), 0) AS alone_ns,
        count_if(is_inner) AS count,
        count_if(class = 'softmax') > 0 AS has_softmax,
        count_if(class = 'matrix') > 0 AS is_after_matrix,
        lead(is_after_matrix) OVER (PARTITION BY part_id, process_id, stream_id ORDER BY run_id) AS is_before_matrix
    FROM ordered
    GROUP BY part_id, process_id, stream_id, run_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'attention' AS subject,
    sum(run.dur_ns)::BIGINT AS total_ns,
    sum(run.alone_ns)::BIGINT AS saves_ns,
    'about' AS bound,
    'likely' AS certainty,
    false AS once,
    'softmax' AS claims,
    sum(run.count)::BIGINT AS count,
    any_value(torch.part_id) IS NOT NULL AS is_torch
FROM part
INNER JOIN run ON part.part_id = run.part_id
LEFT JOIN _torch_part AS torch ON part.part_id = torch.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND run.has_softmax AND run.is_after_matrix AND run.is_before_matrix AND run.count <= FUSED_KERNELS
GROUP BY part.part_id, part.gpu_id, part.busy_ns
HAVING sum(run.dur_ns) > ATTENTION_SHARE * part.busy_ns
ORDER BY part.part_id

-- Time after the last GPU work.
--
-- Over 10 % of the captured time from the first to the last call.
-- Needs  _idle_gap
-- Finding
--     says  After the last GPU work the program calls CUDA for another {total_ns}.
--     do  End the capture or free resources earlier; it is not the speed of the GPU's work.
SELECT
    part.part_id,
    part.gpu_id,
    'end of the program' AS subject,
    part.length_ns::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'certain' AS certainty,
    true AS once,
    NULL::VARCHAR AS claims
FROM part
CROSS JOIN thresholds AS least
WHERE part.kind = 'after' AND part.length_ns > least.after_share * part.window_ns
ORDER BY part.part_id

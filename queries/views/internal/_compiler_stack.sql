-- A CPU sample's call stack with the compiler of PTX anywhere in it.
--
-- Its modules are libnvidia-ptxjitcompiler, libnvrtc, libnvJitLink and libnvidia-nvvm.
-- Needs  SAMPLING_CALLCHAINS
-- Columns
--     chain_id  BIGINT  -- The stack (view cpu_sample).
SELECT DISTINCT frame.id AS chain_id
FROM raw.SAMPLING_CALLCHAINS AS frame
INNER JOIN string ON frame.module = string.id
WHERE regexp_matches(string.text, 'ptxjitcompiler|libnvrtc|libnvJitLink|libnvidia-nvvm')

-- Demangled names of kernels.
--
-- Needs  _kernel_ids
SELECT
    used.name_id,
    string.text AS name
FROM (SELECT DISTINCT name_id FROM _kernel_ids) AS used
LEFT JOIN string ON used.name_id = string.id

-- Kernels at the given positions of the export's table, with their names and what they were launched with.
--
-- As gpu_events says it of them.
-- Needs  _kernel_ids_at_rows
-- Columns
--     name              VARCHAR  -- Demangled name, with its signature.
--     is_communication  BOOLEAN  -- A kernel of a communication library.
SELECT
    _kernel_ids_at_rows.*,
    string.text AS name,
    communication_kernel.name_id IS NOT NULL AS is_communication
FROM _kernel_ids_at_rows
LEFT JOIN string ON _kernel_ids_at_rows.name_id = string.id
LEFT JOIN communication_kernel ON _kernel_ids_at_rows.name_id = communication_kernel.name_id

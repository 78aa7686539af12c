-- Parts in which a Python program launches PyTorch's kernels: advice can name torch's own functions.
--
-- A program with another name is one in C++ (libtorch); one whose name is not known counts as Python.
-- Needs  _kernel_ids
-- Engine  table
-- Columns
--     usual: part_id
WITH program AS (
    SELECT coalesce(bool_or(regexp_matches(name, 'python|conda|torch|pt_main', 'i')), true) AS is_python
    FROM process
)

SELECT DISTINCT kernel.part_id
FROM part_kernel AS kernel
CROSS JOIN program
WHERE program.is_python AND (kernel.library = 'PyTorch' OR kernel.library LIKE 'Triton%')

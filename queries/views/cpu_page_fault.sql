-- CPU page faults on unified memory.
--
-- Needs  CUDA_UM_CPU_PAGE_FAULT_EVENTS
-- Columns
--     row_id          BIGINT   -- Position in the export's table.
--     start_ns        BIGINT   -- When it happened.
--     usual: process_id, pid
--     address         BIGINT   -- Virtual address of the page.
--     instruction_id  BIGINT   -- Function of the faulting instruction, or its address, as a number of `string`.
--     module_id       BIGINT   -- Its module, as a number of `string`.
--     file_id         BIGINT   -- Source file, as a number of `string`; NULL if the export has none.
--     line            BIGINT   -- Line in the source file.
SELECT
    rowid AS row_id,
    start AS start_ns,
    globalPid AS process_id,
    pid_of(globalPid) AS pid,
    address,
    CpuInstruction AS instruction_id,
    module AS module_id,
    sourceFile AS file_id,
    sourceLine AS line
FROM raw.CUDA_UM_CPU_PAGE_FAULT_EVENTS

-- CPU page faults on unified memory, by source location.
--
-- Needs  cpu_page_fault
-- Columns
--     cpu_page_faults          BIGINT   -- [CPU Page Faults] Number of page faults.
--     cpu_instruction_address  VARCHAR  -- [CPU Instruction Address] Function or address of the instruction.
-- Same as  nsys stats --report um_cpu_page_faults_sum
WITH instruction AS (
    SELECT
        instruction_id,
        count(*) AS cpu_page_faults
    FROM cpu_page_fault
    GROUP BY instruction_id
)

SELECT
    instruction.cpu_page_faults,
    string.text AS cpu_instruction_address
FROM instruction
LEFT JOIN string ON instruction.instruction_id = string.id
ORDER BY instruction.cpu_page_faults DESC, instruction.instruction_id ASC NULLS FIRST

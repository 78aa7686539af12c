"""Theoretical occupancy: blocks put onto an SM one by one, for every compute capability that is known."""

import random
from collections.abc import Callable
from pathlib import Path

import nsysql

# Shared memory of an SM in KiB, its blocks and threads, reserved bytes of a block, granule, sub-partitions.
CAPABILITIES = {
    "6.0": (64, 32, 2048, 0, 256, 2),
    "6.1": (96, 32, 2048, 0, 256, 4),
    "7.0": (96, 32, 2048, 0, 256, 4),
    "7.5": (64, 16, 1024, 0, 256, 4),
    "8.0": (164, 32, 2048, 1024, 128, 4),
    "8.6": (100, 16, 1536, 1024, 128, 4),
    "8.7": (164, 16, 1536, 1024, 128, 4),
    "8.8": (100, 16, 1536, 1024, 128, 4),
    "8.9": (100, 24, 1536, 1024, 128, 4),
    "9.0": (228, 32, 2048, 1024, 128, 4),
    "10.0": (228, 32, 2048, 1024, 128, 4),
    "10.3": (228, 32, 2048, 1024, 128, 4),
    "11.0": (228, 24, 1536, 1024, 128, 4),
    "12.0": (100, 24, 1536, 1024, 128, 4),
    "12.1": (100, 24, 1536, 1024, 128, 4),
}
SHAPES = 150  # of each compute capability
SMS = 7
Shape = tuple[int, int, int, int, int]  # blocks, threads, registers, static and dynamic shared memory


def blocks_of_an_sm(capability: str, shape: Shape) -> int:
    """How many blocks an SM takes: another one as long as there are warps, registers and shared memory for it."""
    kib, max_blocks, max_threads, reserved, granule, parts = CAPABILITIES[capability]
    _, threads, registers, static, dynamic = shape
    warps = -(-threads // 32)
    of_a_warp = -(-32 * registers // 256) * 256
    shared = -(-(static + dynamic + reserved) // granule) * granule
    if -(-warps // 4) * 4 * of_a_warp > 65536 or (capability in ("6.0", "6.1") and static + dynamic > 48 * 1024):
        return 0
    free = sum((65536 // parts) // of_a_warp for _ in range(parts))  # warps that the registers are enough for
    blocks = 0
    while (
        blocks < max_blocks
        and (blocks + 1) * warps * 32 <= max_threads
        and (blocks + 1) * warps <= free
        and (blocks + 1) * shared <= kib * 1024
    ):
        blocks += 1
    return blocks


def shapes() -> list[tuple[int, str, Shape]]:
    """GPU, compute capability and shape: each one once."""
    drawn = random.Random(7)
    found = {}
    for gpu, capability in enumerate(CAPABILITIES):
        for _ in range(SHAPES):
            most = drawn.choice([0, 2_000, 48_000, CAPABILITIES[capability][0] * 1024 - 1024])
            static = drawn.randint(0, min(most, 48 * 1024))
            shape = (
                drawn.randint(1, 5000),
                drawn.choice([drawn.randint(1, 64), drawn.randint(1, 1024), 32 * drawn.randint(1, 32)]),
                drawn.choice([drawn.randint(1, 40), drawn.randint(1, 255)]),
                static,
                drawn.randint(0, most - static),
            )
            found[gpu, capability, shape] = None
    return list(found)


def test_occupancy_is_what_fits_on_an_sm(build: Callable[[str], Path]) -> None:
    drawn = shapes()
    gpus = ", ".join(f"({i}, {SMS}, {c.replace('.', ', ')})" for i, c in enumerate(CAPABILITIES))
    kernels = ", ".join(
        f"({i}, {i + 1}, {gpu}, 500 << 24, 1, 1, {r}, {grid}, 1, 1, {block}, 1, 1, {static}, {dynamic})"
        for i, (gpu, _, (grid, block, r, static, dynamic)) in enumerate(drawn)
    )
    export = build(
        "INSERT INTO StringIds (id, value) VALUES (1, 'a');\n"
        f"INSERT INTO TARGET_INFO_GPU (id, smCount, computeMajor, computeMinor) VALUES {gpus};\n"
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, globalPid, demangledName, shortName, '
        "registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory) "
        f"VALUES {kernels};"
    )
    with nsysql.open(export) as run:
        rows = run.occupancy().rows(named=True)
        shares = run.sql("SELECT gpu_share FROM _kernel_share")["gpu_share"].to_list()
    assert len(rows) == len(drawn)
    assert sorted(shares) == sorted(min(1, row["waves"] or 1) for row in rows), "the share that a replay takes"
    expected = {(gpu, shape): capability for gpu, capability, shape in drawn}
    for row in rows:
        grid, threads = (int(row[name].split(" x ")[0]) for name in ("grid", "block"))
        shape = (
            grid,
            threads,
            row["registers_per_thread"],
            *(row[f"{k}_shared_memory_bytes"] for k in ("static", "dynamic")),
        )
        capability = expected[row["gpu_id"], shape]
        blocks = blocks_of_an_sm(capability, shape)
        assert row["blocks_per_sm"] == blocks, (capability, shape)
        warps = -(-threads // 32)
        assert row["occupancy_pct"] == 100 * blocks * warps / (CAPABILITIES[capability][2] // 32)
        most = CAPABILITIES[capability][2] // 32 * SMS
        filled = 100 * min(grid, blocks * SMS) * warps / most if blocks else None
        assert row["gpu_occupancy_pct"] == filled
        assert row["limited_by"]
        assert row["waves"] == (grid / (blocks * SMS) if blocks else None)
        assert row["last_wave_pct"] is None or 0 < row["last_wave_pct"] <= 100


def test_a_gpu_that_the_export_does_not_describe_can_be_named(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("two_streams")) as run:
        assert set(run.occupancy(compute_capability="9.0")["not_covered"]) == {
            "the export lacks a part of the launch shape"
        }
        assert run.occupancy()["occupancy_pct"].null_count() == 3

"""The reports beside CUDA and NVTX: small exports, and what `nsys stats` says of them, worked out by hand.

Thread 1 of process 1 is globalTid 16777217 (1 << 24 | 1), its process globalPid 16777216; thread 2 of process 2
is 33554434. Every answer is NVIDIA's; where that repeats a defect, the query's own answer stands below it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Ran

import nsysql
from nsysql.catalog.packs import find_packs, query_paths, read_views
from nsysql.catalog.query_file import read_query
from nsysql.errors import MissingData
from nsysql.nsys.report_rows import CAVEATS

pytestmark = pytest.mark.usefixtures("kept_open")

Build = Callable[[str], Path]
Run = Callable[..., Ran]
PATHS = query_paths(find_packs())
SUM = "Time (%),Total Time (ns),{},Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),{}"

OS = """
INSERT INTO StringIds (id, value) VALUES (1, 'read'), (2, 'poll');
-- Whole calls, and one (class 31) that was still under way when the capture began.
INSERT INTO OSRT_API (start, end, eventClass, globalTid, nameId) VALUES
    (0, 10, 27, 16777217, 1), (20, 50, 27, 33554434, 1), (60, 80, 27, 16777217, 2), (0, 99, 31, 16777217, 2);
INSERT INTO SYSCALL (start, end, globalTid, nameId) VALUES (0, 30, 16777217, 1), (40, 50, 16777217, 9);
"""
UNIFIED = """
INSERT INTO StringIds (id, value) VALUES (1, 'init(float*, int)'), (2, '0x4011f6');
-- Page 0x1000: 4096 bytes to the GPU in 100 ns, 8192 back in 300 ns.  Page 0x2000: 3 GB in 1.5 s.
-- Page 0x3000 faults only.  A migration between GPUs (13) counts nowhere.
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, globalPid, bytes, copyKind, virtualAddress) VALUES
    (0, 100, 16777216, 4096, 11, 4096), (200, 500, 16777216, 8192, 12, 4096),
    (1000, 1500001000, 16777216, 3000000000, 11, 8192), (0, 50, 16777216, 77, 13, 4096);
INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS (start, globalPid, address, CpuInstruction) VALUES
    (10, 16777216, 4096, 1), (20, 16777216, 4096, 1), (30, 16777216, 12288, 2);
INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS (start, end, globalPid, deviceId, address, numberOfPageFaults) VALUES
    (10, 20, 16777216, 0, 4096, 3), (30, 40, 16777216, 0, 4096, 4);
"""
MPI = """
INSERT INTO StringIds (id, value) VALUES (1, 'MPI_Init'), (2, 'MPI_Send'), (3, 'MPI_Allreduce'), (4, 'MPI_Wait');
INSERT INTO MPI_OTHER_EVENTS (start, end, globalTid, textId) VALUES (0, 100, 16777217, 1), (0, 100, 33554434, 1);
INSERT INTO MPI_P2P_EVENTS (start, end, globalTid, textId, tag, remoteRank, size) VALUES
    (200, 300, 16777217, 2, 7, 1, 4096), (600, NULL, 33554434, 2, 8, 0, 1024);
INSERT INTO MPI_START_WAIT_EVENTS (start, end, globalTid, textId) VALUES (200, 400, 33554434, 4);
INSERT INTO MPI_COLLECTIVES_EVENTS (start, end, globalTid, textId, rootRank, size, recvSize) VALUES
    (500, 900, 16777217, 3, NULL, 8, 16);
"""
DIRECTIVES = """
INSERT INTO StringIds (id, value) VALUES (1, 'Wait'), (2, 'a.f90'), (3, 'Barrier');
INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_OTHER (start, end, nameId, globalTid, lineNo, srcFile) VALUES
    (0, 30, 1, 16777217, 7, 2), (40, 50, 1, 16777217, 0, NULL), (60, 65, 9, 16777217, 7, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_DATA (start, end, nameId, globalTid, lineNo, srcFile) VALUES
    (0, 5, 1, 16777217, 7, 2);
INSERT INTO OPENMP_EVENT_KIND_SYNC_REGION (start, end, globalTid, nameId) VALUES
    (0, 30, 16777217, 3), (0, 10, 33554434, 3);
INSERT INTO OPENMP_EVENT_KIND_SYNC_REGION_WAIT (start, end, globalTid, nameId) VALUES (0, 60, 16777217, 3);
"""
GRAPHICS = """
INSERT INTO StringIds (id, value) VALUES (1, 'vkQueueSubmit'), (2, 'vkThing_v1234'), (3, 'sky'), (4, 'sea, deep'),
    (5, 'NvEncEncode'), (6, 'main');
INSERT INTO ThreadNames (nameId, priority, globalTid) VALUES (6, 20, 16777217);
INSERT INTO VULKAN_API (start, end, eventClass, globalTid, correlationId, nameId, contextId) VALUES
    (0, 30, 53, 16777217, 1, 1, 1), (40, 50, 53, 33554434, NULL, 2, 1), (60, 99, 93, 16777217, NULL, 1, 1);
-- sky lasts 5-25; sea, deep ends before its begin has returned (-5); the last begin has no end.
INSERT INTO VULKAN_DEBUG_API (start, end, globalTid, correlationId, textId) VALUES
    (0, 5, 16777217, 1, 3), (25, 30, 16777217, 1, NULL), (50, 60, 16777217, 2, 4), (55, 56, 16777217, 2, NULL),
    (70, 75, 16777217, 3, 3), (25, 30, 33554434, 3, NULL);
INSERT INTO D3D11_PIX_DEBUG_API SELECT * FROM VULKAN_DEBUG_API;
INSERT INTO D3D12_PIX_DEBUG_API SELECT * FROM VULKAN_DEBUG_API;
INSERT INTO VULKAN_WORKLOAD (start, end, globalTid, gpu, contextId, textId) VALUES
    (0, 30, 16777217, 0, 1, 3), (40, 50, 16777217, 0, 1, 4), (0, 60, 16777217, 0, 1, NULL);
INSERT INTO DX12_WORKLOAD (start, end, globalTid, gpu, shortContextId, textId) VALUES (0, 30, 16777217, 0, 1, 3);
-- A closed group and an open one (until 100, the last timestamp) on the CPU, one by its number; one on the GPU.
INSERT INTO KHR_DEBUG_EVENTS (start, end, eventClass, globalTid, textId, id) VALUES
    (0, 30, 62, 16777217, 3, NULL), (90, NULL, 62, 16777217, 3, NULL), (10, 20, 62, 16777217, NULL, 42),
    (0, 100, 63, 16777217, 4, NULL), (5, 5, 63, 16777217, 3, NULL);
INSERT INTO NVVIDEO_ENCODER_API (start, end, globalTid, nameId) VALUES (0, 10, 16777217, 5);
INSERT INTO NVVIDEO_JPEG_API (start, end, globalTid, nameId) VALUES (0, 30, 16777217, 5);
"""
# The queue 5 (3D) of process 1 is busy 0-100, 50-150 and 400-500 of 0-500; 6 and 7 are hardware queues under it.
WDDM = """
INSERT INTO StringIds (id, value) VALUES (1, 'a');
INSERT INTO TARGET_INFO_WDDM_CONTEXTS VALUES (5, 1, 2, ''), (8, 0, 3, 'Security');
INSERT INTO WDDM_QUEUE_PACKET_START_EVENTS (start, end, globalTid, gpu, context, submitSequence, engineType) VALUES
    (0, 0, 16777217, 0, 5, 1, 1), (50, 50, 16777217, 0, 5, 2, 1), (400, 400, 16777217, 0, 5, 3, 1);
INSERT INTO WDDM_QUEUE_PACKET_STOP_EVENTS (start, end, globalTid, gpu, context, submitSequence, engineType) VALUES
    (100, 100, 16777217, 0, 5, 1, 1), (150, 150, 16777217, 0, 5, 2, 1), (500, 500, 16777217, 0, 5, 3, 1);
INSERT INTO WDDM_DMA_PACKET_START_EVENTS (start, end, globalTid, gpu, context, uliSubmissionId, engineType) VALUES
    (100, 100, 16777217, 0, 8, 1, 0);
INSERT INTO WDDM_DMA_PACKET_STOP_EVENTS (start, end, globalTid, gpu, context, uliCompletionId, engineType) VALUES
    (150, 150, 16777217, 0, 8, 1, 0);
INSERT INTO WDDM_HW_QUEUE_EVENTS (context, hwQueue, parentDxgHwQueue) VALUES (5, 1, 1), (6, 2, 5), (7, 3, 5);
"""
NETWORK = """
INSERT INTO StringIds (id, value) VALUES (1, 'a');
INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (0, 1, 'IB: Send waits'), (0, 2, 'IB: Bytes sent'),
    (1, 0, 'IB: Send waits');
INSERT INTO TARGET_INFO_NIC_INFO (GUID, nicId, deviceId) VALUES (255, 0, 4123), (256, 1, 99);
INSERT INTO NIC_ID_MAP (nicId, globalId) VALUES (0, 1000), (1, 1001);
INSERT INTO ENUM_NET_DEVICE_ID VALUES (4123, 'ConnectX-6');
INSERT INTO NET_NIC_METRIC (start, end, globalId, metricsListId, metricsIdx, value) VALUES
    (0, 10, 1000, 0, 1, 10001), (10, 20, 1000, 0, 1, 10000), (20, 30, 1000, 0, 2, 50000), (30, 40, 1001, 0, 1, 20000);
INSERT INTO NET_IB_SWITCH_METRIC (start, end, globalId, metricsListId, metricsIdx, value) VALUES
    (5, 15, -1, 1, 0, 30000);
"""

ANSWERS = [  # an export, a report, its titles and rows
    (
        OS, "osrt_sum", SUM.format("Num Calls", "Name"),
        "66.7,40,2,20.0,20.0,10,30,14.1,read\n33.3,20,1,20.0,20.0,20,20,0.0,poll",
    ),
    (
        OS, "syscall_sum", SUM.format("Num Calls", "Name"),
        "75.0,30,1,30.0,30.0,30,30,0.0,read\n25.0,10,1,10.0,10.0,10,10,0.0,",
    ),
    (
        UNIFIED, "um_sum",
        "Virtual Address,HtoD Migration size (MB),DtoH Migration size (MB),CPU Page Faults, GPU Page Faults,"
        "Migration Throughput (MB/s)",
        "0x1000,0.004,0.008,2,7,30720.000\n0x2000,3000.000,,,,0.000\n0x3000,,,1,,",
    ),
    (
        UNIFIED, "um_sum:rows=1",
        "Virtual Address,HtoD Migration size (MB),DtoH Migration size (MB),CPU Page Faults, GPU Page Faults,"
        "Migration Throughput (MB/s)",
        "0x1000,0.004,0.008,2,7,30720.000",
    ),
    (
        UNIFIED, "um_total_sum",
        "Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,Total GPU PageFaults,"
        "Minimum Virtual Address,Maximum Virtual Address",
        "3000.004,0.008,3,7,0x1000,0x3000",
    ),
    (
        UNIFIED, "um_cpu_page_faults_sum", "CPU Page Faults,CPU Instruction Address",
        '2,"init(float*, int)"\n1,0x4011f6',
    ),
    (
        MPI + "INSERT INTO MPI_RANKS (globalTid, rank) VALUES (16777217, 0), (33554434, 1);", "mpi_event_trace",
        "Start (ns),End (ns),Duration (ns),Event,Pid,Tid,Tag,Rank,PeerRank,RootRank,Size (MB),CollSendSize (MB),"
        "CollRecvSize (MB)",
        "0,100,100,MPI_Init,1,1,,0,,,,,\n0,100,100,MPI_Init,2,2,,1,,,,,\n200,300,100,MPI_Send,1,1,7,0,1,,0.004,,\n"
        "200,400,200,MPI_Wait,2,2,,1,,,,,\n500,900,400,MPI_Allreduce,1,1,,0,,,,0.000,0.000\n"
        "600,,,MPI_Send,2,2,8,1,0,,0.001,,",
    ),
    (
        MPI, "mpi_event_sum", SUM.format("Instances", "Source,Name"),
        "44.4,400,1,400.0,400.0,400,400,0.0,collectives,MPI_Allreduce\n22.2,200,2,100.0,100.0,100,100,0.0,other,MPI_Init\n"
        "22.2,200,1,200.0,200.0,200,200,0.0,start_wait,MPI_Wait\n11.1,100,2,100.0,100.0,100,100,0.0,p2p,MPI_Send",
    ),
    (
        MPI, "mpi_msg_size_sum", "Total Message Volume,Instances,Avg,Med,Min,Max,StdDev,Source,Name",
        "5120,2,2560.0,2560.0,1024,4096,2172.2,p2p,MPI_Send\n16,1,16.0,16.0,16,16,0.0,coll_recv,MPI_Allreduce\n"
        "8,1,8.0,8.0,8,8,0.0,coll_send,MPI_Allreduce",
    ),
    (
        DIRECTIVES, "openacc_sum", SUM.format("Num Calls", "Name"),
        "70.0,35,2,17.5,17.5,5,30,17.7,Wait@a.f90:7\n20.0,10,1,10.0,10.0,10,10,0.0,Wait\n10.0,5,1,5.0,5.0,5,5,0.0,",
    ),
    (
        DIRECTIVES, "openmp_sum", SUM.format("Count", "Name"),
        "60.0,60,1,60.0,60.0,60,60,0.0,Barrier\n40.0,40,2,20.0,20.0,10,30,14.1,Barrier",
    ),
    (
        GRAPHICS, "vulkan_api_sum", SUM.format("Num Calls", "Name"),
        "75.0,30,1,30.0,30.0,30,30,0.0,vkQueueSubmit\n25.0,10,1,10.0,10.0,10,10,0.0,vkThing",
    ),
    (
        GRAPHICS, "vulkan_api_trace",
        "Start (ns),Duration (ns),Name,Event Class,Context,CorrID,Pid,Tid,T-Pri,Thread Name",
        "0,30,vkQueueSubmit,53,1,1,1,1,20,main\n40,10,vkThing_v1234,53,1,,2,2,,\n60,39,vkQueueSubmit,93,1,,1,1,20,main",
    ),
    # 20 of 20 - 5: what ends before it has begun is not shown, but counts in the total.
    (GRAPHICS, "vulkan_marker_sum", SUM.format("Instances", "Range"), "133.3,20,1,20.0,20.0,20,20,0.0,sky"),
    (GRAPHICS, "dx11_pix_sum", SUM.format("Instances", "Range"), "133.3,20,1,20.0,20.0,20,20,0.0,sky"),
    (GRAPHICS, "dx12_pix_sum", SUM.format("Instances", "Range"), "133.3,20,1,20.0,20.0,20,20,0.0,sky"),
    (
        GRAPHICS, "vulkan_gpu_marker_sum", SUM.format("Instances", "Range"),
        '75.0,30,1,30.0,30.0,30,30,0.0,sky\n25.0,10,1,10.0,10.0,10,10,0.0,"sea, deep"',
    ),
    (GRAPHICS, "dx12_gpu_marker_sum", SUM.format("Instances", "Range"), "100.0,30,1,30.0,30.0,30,30,0.0,sky"),
    (
        GRAPHICS, "opengl_khr_range_sum", SUM.format("Instances", "Range"),
        "80.0,40,2,20.0,20.0,10,30,14.1,sky\n20.0,10,1,10.0,10.0,10,10,0.0,42",
    ),
    (
        GRAPHICS, "opengl_khr_gpu_range_sum", SUM.format("Instances", "Range"),
        '100.0,100,1,100.0,100.0,100,100,0.0,"sea, deep"',
    ),
    (
        GRAPHICS, "nvvideo_api_sum", SUM.format("Num Calls", "Event Type,Name"),
        "75.0,30,1,30.0,30.0,30,30,0.0,JPEG,NvEncEncode\n25.0,10,1,10.0,10.0,10,10,0.0,Encoder,NvEncEncode",
    ),
    (
        WDDM, "wddm_queue_sum",
        "Utilization (%),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name,Q Type,Q Name,PID,GPU ID,"
        "Context,Engine,Node Ord",
        "50.0,3,100.0,100.0,100,100,0.0,3D/Comp,0,queue,1,0,0x5,1,2\n"
        "50.0,3,100.0,100.0,100,100,0.0,3D/Comp,0,queue,1,0,0x5,1,2\n10.0,1,50.0,50.0,50,50,0.0,Security,1,dma,1,0,0x8,0,3",
    ),
    (
        NETWORK, "network_congestion", "Start (ns),End (ns),Duration (ns),Send wait rate (ticks/ms),GUID,Device name",
        "0,10,10,10001,ff,ConnectX-6\n5,15,10,30000,ffffffffffffffff,",
    ),
    (
        NETWORK, "network_congestion:ticks_threshold=9999",
        "Start (ns),End (ns),Duration (ns),Send wait rate (ticks/ms),GUID,Device name",
        "0,10,10,10001,ff,ConnectX-6\n5,15,10,30000,ffffffffffffffff,\n10,20,10,10000,ff,ConnectX-6",
    ),
]  # fmt: skip

OWN = [  # an export, a query, some of its columns, and their values where NVIDIA's are wrong
    (UNIFIED, "um_sum", ["virtual_address", "migration_throughput_bytes_per_s"],
     [(4096, 30.72e9), (8192, 2e9), (12288, None)]),
    (GRAPHICS, "vulkan_marker_sum", ["range", "time_pct"], [("sky", 100.0)]),
    (GRAPHICS, "dx11_pix_sum", ["range", "time_pct"], [("sky", 100.0)]),
    (GRAPHICS, "dx12_pix_sum", ["range", "time_pct"], [("sky", 100.0)]),
    (WDDM, "wddm_queue_sum", ["name", "utilization_pct"], [("3D/Comp", 50.0), ("Security", 10.0)]),
    (NETWORK, "network_congestion", ["start_ns", "guid", "device_name"],
     [(0, "ff", "ConnectX-6"), (5, "ffffffffffffffff", None), (30, "100", None)]),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "report", "titles", "rows"), ANSWERS, ids=[case[1] for case in ANSWERS])
def test_a_report_is_nvidias(run: Run, build: Build, sql: str, report: str, titles: str, rows: str) -> None:
    ran = run("stats", "-q", "-f", "csv", "-r", report, build(sql))
    assert ran.text == f"{titles}\n{rows}\n\n"
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(("sql", "query", "columns", "rows"), OWN, ids=[case[1] for case in OWN])
def test_a_query_is_right_where_nvidia_is_not(
    build: Build, sql: str, query: str, columns: list[str], rows: list[tuple[Any, ...]]
) -> None:
    with nsysql.open(build(sql)) as export:
        assert export.query(query).select(columns).rows() == rows


# What NVIDIA refuses ---------------------------------------------------------------------------------


def test_mpi_calls_are_told_without_ranks(build: Build) -> None:
    with nsysql.open(build(MPI)) as export:
        frame = export.mpi_event_trace()
    assert frame["rank"].to_list() == [None] * 6
    assert frame["event"].to_list() == ["MPI_Init", "MPI_Init", "MPI_Send", "MPI_Wait", "MPI_Allreduce", "MPI_Send"]


def test_migrations_are_told_without_faults(build: Build, run: Run) -> None:
    copies = build(UNIFIED.split("INSERT INTO CUDA_UM")[0])
    with nsysql.open(copies) as export:
        assert export.um_sum()["cpu_page_faults"].to_list() == [None, None]
        assert export.um_total_sum().row(0) == (3000004096, 8192, None, None, 4096, 8192)
    ran = run("stats", "-r", "um_sum,um_total_sum", copies)  # as nsys
    assert ran.err.count("SKIPPED") == 2
    assert "capture with --cuda-um-cpu-page-faults=true and --cuda-um-gpu-page-faults=true." in ran.err


def test_a_table_without_rows_will_do_for_nvidia(build: Build, run: Run) -> None:
    """Exports made with --lazy=false have every table; no addresses unless each kind happened."""
    tables = (
        "CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (address); CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (address);"
    )
    copies = build(UNIFIED.split("INSERT INTO CUDA_UM")[0] + tables)
    assert run("stats", "-q", "-f", "csv:nohdr", "-r", "um_total_sum", copies).text == "3000.004,0.008,0,,,\n\n"
    nothing = build("CREATE TABLE StringIds (id, value); CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start);" + tables)
    assert run("stats", "-q", "-f", "csv:nohdr", "-r", "um_total_sum,um_sum", nothing).text == ",,0,,,\n\n"
    with nsysql.open(nothing) as export, pytest.raises(MissingData):
        export.um_total_sum()


def test_copies_without_migrations_are_no_unified_memory(build: Build) -> None:
    with nsysql.open(
        build(
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, globalPid, bytes, copyKind) "
            "VALUES (0, 10, 16777216, 5, 1)"
        )
    ) as export:
        assert export.um_sum().height == export.um_total_sum().height == 0


@pytest.mark.parametrize(
    ("query", "option"),
    [
        ("osrt_sum", "--trace=osrt"),
        ("syscall_sum", "--trace=syscall"),
        ("um_cpu_page_faults_sum", "--cuda-um-cpu-page-faults=true"),
        ("mpi_event_trace", "--trace=mpi"),
        ("openacc_sum", "--trace=openacc"),
        ("openmp_sum", "--trace=openmp"),
        ("vulkan_api_sum", "--trace=vulkan"),
        ("vulkan_marker_sum", "--trace=vulkan-annotations"),
        ("opengl_khr_range_sum", "--trace=opengl-annotations"),
        ("dx11_pix_sum", "--trace=dx11-annotations"),
        ("dx12_gpu_marker_sum", "--trace=dx12"),
        ("nvvideo_api_sum", "--trace=nvvideo"),
        ("wddm_queue_sum", "--trace=wddm"),
        ("network_congestion", "--nic-metrics=true"),
    ],
)
def test_what_is_missing_is_named_with_its_option(build: Build, query: str, option: str) -> None:
    empty = build("INSERT INTO StringIds (id, value) VALUES (1, 'x')")
    with nsysql.open(empty) as export, pytest.raises(MissingData) as told:
        export.query(query)
    assert f"capture with {option}" in str(told.value)


# Ties, options -----------------------------------------------------------------------------------------


def test_pages_of_equal_throughput_stand_in_nvidias_order(build: Build) -> None:
    """Faults of the CPU first, then of the GPU alone, then none: back from the GPU, then to it; by address."""
    pages = build(
        """
        INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, globalPid, bytes, copyKind, virtualAddress) VALUES
            (0, 10, 1, 5, 11, 1), (0, 10, 1, 5, 11, NULL), (0, 10, 1, 5, 12, 2), (0, 10, 1, 5, 11, 3),
            (0, 10, 1, 5, 11, 4);
        INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS (start, globalPid, address, CpuInstruction) VALUES (0, 1, 4, 1);
        INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS (start, end, globalPid, deviceId, address, numberOfPageFaults)
            VALUES (0, 1, 1, 0, 3, 1);
        """
    )
    with nsysql.open(pages) as export:
        assert export.um_sum()["virtual_address"].to_list() == [4, 3, 2, None, 1]


def test_a_name_in_two_processes_is_one_row_and_a_text_of_two_ids_two(build: Build) -> None:
    calls = build(
        """
        INSERT INTO StringIds (id, value) VALUES (2, 'read'), (1, 'read');
        INSERT INTO OSRT_API (start, end, eventClass, globalTid, nameId) VALUES
            (0, 10, 27, 16777217, 2), (0, 10, 27, 33554434, 1), (0, 10, 27, 33554434, 2), (0, 10, 27, 33554434, 1);
        """
    )
    with nsysql.open(calls) as export:
        assert export.osrt_sum().select("num_calls", "name").rows() == [(2, "read"), (2, "read")]


API_AND_GPU = """
INSERT INTO StringIds (id, value) VALUES (1, 'cudaMalloc_v3020'), (2, 'cudaMalloc'), (3, 'k');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES
    (0, 300, 16777217, 1, 1), (400, 500, 16777217, 2, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, correlationId, demangledName, shortName) VALUES
    (500, 600, 16777216, 2, 3, 3), (600, 1100, 16777216, 2, 2, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, globalPid, bytes, copyKind) VALUES (0, 100, 16777216, 5, 1);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES (350, 550, 59, 'step', 16777217);
"""


def test_calls_and_gpu_work_in_one_sum(run: Run, build: Build) -> None:
    """A function of two ids is one; NVIDIA adds a kernel of that name, and tells it by the longest."""
    export = build(API_AND_GPU)
    ran = run("stats", "-q", "-f", "csv:nohdr", "-r", "cuda_api_gpu_sum", export)
    assert ran.text == (
        "81.8,900,3,300.0,300.0,100,500,200.0,CUDA_KERNEL,cudaMalloc\n"
        "9.1,100,1,100.0,100.0,100,100,0.0,MEMORY_OPER,[CUDA memcpy Host-to-Device]\n"
        "9.1,100,1,100.0,100.0,100,100,0.0,CUDA_KERNEL,k\n\n"
    )
    with nsysql.open(export) as opened:
        own = opened.cuda_api_gpu_sum()
    assert own.select("total_time_ns", "instances", "category", "operation").rows() == [
        (500, 1, "CUDA_KERNEL", "cudaMalloc"),
        (400, 2, "CUDA_API", "cudaMalloc"),
        (100, 1, "MEMORY_OPER", "[CUDA memcpy Host-to-Device]"),
        (100, 1, "CUDA_KERNEL", "k"),
    ]


def test_kernels_named_by_their_range_beside_calls(build: Build) -> None:
    with nsysql.open(build(API_AND_GPU)) as opened:
        own = opened.cuda_api_gpu_sum(nvtx_name=True)
    assert own["operation"].to_list() == ["step/cudaMalloc", "cudaMalloc", "[CUDA memcpy Host-to-Device]", "step/k"]


# What is said beside a report ------------------------------------------------------------------------


def test_graphs_that_a_report_leaves_out_are_told(run: Run, story: Callable[[str], Path]) -> None:
    export = story("graph_whole")
    told = run("stats", "-f", "csv", "-r", "cuda_gpu_kern_sum,cuda_api_sum", export)
    notes = [line for line in told.err.splitlines() if line.startswith("NOTE: ")]
    assert len(notes) == 1
    assert notes[0].startswith("NOTE: cuda_gpu_kern_sum: ")
    assert "whole CUDA graphs" in notes[0]
    assert run("stats", "-q", "-f", "csv", "-r", "cuda_gpu_kern_sum", export).err == ""


def test_a_note_is_of_the_time_asked_for(run: Run, story: Callable[[str], Path]) -> None:
    export = story("graph_whole")
    assert "NOTE" not in run("stats", "-r", "cuda_gpu_kern_sum", "--filter-time", "999s/1000s", export).err


def test_throughput_that_division_spoils_is_told(run: Run, build: Build) -> None:
    copy = """
        INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, globalPid, bytes, copyKind, srcKind, dstKind, deviceId)
        VALUES (0, {}, 16777216, 3000000000, 1, 1, 2, 0)
    """
    slow, quick = build(copy.format(1_500_000_000)), build(copy.format(1_000_000))
    ran = run("stats", "-f", "csv", "-r", "cuda_gpu_trace", slow)
    assert ",3000.000,0.000,Pinned," in ran.text
    assert "for 1 of the operations" in ran.err
    assert run("stats", "-f", "csv", "-r", "cuda_gpu_trace", quick).err == ""
    with nsysql.open(slow) as export:
        assert export.cuda_gpu_trace()["throughput_bytes_per_s"].to_list() == [2e9]


def test_ranges_that_nvidia_doubles_are_told(run: Run, story: Callable[[str], Path]) -> None:
    ran = run("stats", "-f", "csv", "-r", "nvtx_sum", story("nvtx_domains"))
    assert "NOTE: nvtx_sum: ranges count several times" in ran.err


def test_a_migration_that_division_spoils_is_told(run: Run, build: Build) -> None:
    assert "for 1 of the pages" in run("stats", "-r", "um_sum", build(UNIFIED)).err


# docs/differences.md ------------------------------------------------------------------------------------------------

DOUBLED = """
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES
    (0, NULL, 75, 'lib', 16777217, 1), (0, NULL, 75, 'lib', 16777218, 1),
    (100, 150, 59, 'call', 16777217, 1), (200, 250, 59, 'call', 16777217, 1);
"""
OPEN = """
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, NULL, 59, 'open', 16777217), (3000, 3500, 59, 'a', 16777217), (5000, NULL, 39, 'worker', 16777217);
"""
EQUAL = """
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 300, 59, 'outer', 16777217), (100, 200, 59, 'a', 16777217), (100, 200, 59, 'b', 16777217);
"""
PROJECTED = """
INSERT INTO StringIds (id, value) VALUES (1, 'cudaGraphLaunch_v10000'), (2, 'cudaLaunchKernel_v7000'), (3, 'k');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 100, 59, 'step', 16777217), (0, 100, 59, NULL, 33554434);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES
    (10, 20, 16777217, 1, 1), (30, 40, 16777217, 2, 2), (10, 20, 33554434, 1, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, correlationId, demangledName, shortName) VALUES
    (50, 60, 16777216, 2, 3, 3), (50, 60, 33554432, 1, 3, 3);
INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, globalPid, correlationId, graphId) VALUES
    (100, 900, 16777216, 1, 1);
"""
OUTSIDE = """
INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, text) VALUES (900, 901, 59, 16777217, 'late');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES
    (10, 20, 16777217, 1, 1), (30, 40, 16777217, 2, 1), (15, 25, 33554434, 1, 1), (35, 45, 33554434, 3, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, correlationId, demangledName, shortName) VALUES
    (50, 60, 16777216, 1, 3, 3), (60, 70, 16777216, 2, 3, 3), (50, 60, 33554432, 1, 3, 3), (60, 71, 33554432, 3, 3, 3);
"""
ONE_LAUNCH_IN_TWO_CALLS = (
    OUTSIDE
    + "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId) VALUES (11, 19, 16777217, 1);"
)


@pytest.mark.parametrize(
    ("sql", "query", "columns", "nvidias", "own"),
    [
        (DOUBLED, "nvtx_sum", ["instances", "total_time_ns"], [(4, 200)], [(2, 100)]),
        (OPEN, "nvtx_sum", ["range", "total_time_ns"], [("open", 5000), ("a", 500)], [("open", 3500), ("a", 500)]),
        (EQUAL, "nvtx_pushpop_trace", ["name", "level"], [("outer", 0)], [("outer", 0), ("a", 1), ("b", 2)]),
        (
            PROJECTED,
            "nvtx_gpu_proj_sum",
            ["range", "total_proj_time_ns", "total_gpu_ops"],
            [("step", 10, 1)],
            [("step", 850, 2), (None, 10, 1)],
        ),
        (OUTSIDE, "nvtx_gpu_proj_trace", ["name", "num_gpu_ops"], [(None, 3)], [(None, 4)]),
        (ONE_LAUNCH_IN_TWO_CALLS, "nvtx_gpu_proj_trace", ["name", "num_gpu_ops"], [(None, 3)], [(None, 4)]),
    ],
)
def test_a_difference_is_as_written_down(
    build: Build, sql: str, query: str, columns: list[str], nvidias: list[tuple[Any, ...]], own: list[tuple[Any, ...]]
) -> None:
    with nsysql.open(build(sql)) as export:
        assert export.query(query, as_nsys=True).select(columns).rows() == nvidias
        assert export.query(query).select(columns).rows() == own


def test_every_difference_is_written_down() -> None:
    text = (Path(__file__).parent.parent / "docs" / "differences.md").read_text(encoding="utf-8")
    numbers = text.split("## Numbers")[1].split("\n## ")[0]
    differing = [name for name, path in PATHS.items() if any(p.name == "as_nsys" for p in read_query(path).parameters)]
    assert [name for name in differing if f"`{name}`" not in numbers] == []
    known = read_views()["_nsys_defect"].sql
    assert all(f"SELECT '{defect}' AS defect" in known for defect in CAVEATS if defect != "graph_trace")
    assert {name for reports, _ in CAVEATS.values() for name in reports.split()} <= PATHS.keys()


DEFECTS = """
INSERT INTO StringIds (id, value) VALUES (1, 'cudaMemcpy_v3020'), (2, 'cudaMemset_v3020');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES
    (0, 10, 16777217, 1, 1), (0, 10, 33554434, 1, 1), (20, 30, 16777217, 2, 2), (20, 30, 33554434, 2, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, bytes, copyKind, correlationId, globalPid, virtualAddress) VALUES
    (100, 200, 8, 1, 1, 16777216, NULL), (0, 600000000, 8, 11, NULL, 16777216, 4096);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (start, end, bytes, memKind, correlationId, globalPid) VALUES
    (300, 400, 8, 1, 2, 16777216);
"""


def test_what_reports_get_wrong_is_counted(build: Build) -> None:
    with nsysql.open(build(DOUBLED + DEFECTS)) as export:
        counts = {one: export.count("_nsys_defect", {}, 9, f"WHERE defect = '{one}'") for one in CAVEATS}
    assert counts == {
        "graph_trace": 0,
        "throughput": 1,
        "migration": 1,
        "domain_repeat": 1,
        "misjoined_memcpy": 1,
        "misjoined_memset": 1,
    }

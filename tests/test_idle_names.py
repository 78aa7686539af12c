"""Which cause a function's name stands for: views _api_cause and _os_cause, by real names."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import nsysql
from nsysql.analysis.replay.changes import MEMORY

CUDA = {
    "sync": """
        cudaDeviceSynchronize_v3020 cudaThreadSynchronize_v3020 cudaStreamSynchronize_v3020
        cudaStreamSynchronize_ptsz_v7000 cudaEventSynchronize_v3020 cuCtxSynchronize cuCtxSynchronize_v2
        cuStreamSynchronize cuStreamSynchronize_ptsz cuEventSynchronize cudaMemcpy_v3020 cudaMemcpy2D_v3020
        cudaMemcpy3D_v3020 cudaMemcpyPeer_v4000 cudaMemcpyToSymbol_v3020 cudaMemcpyFromArray_v3020 cuMemcpy
        cuMemcpyHtoD_v2 cuMemcpyDtoH_v2_ptds cudaMemcpy_ptds_v7000""",
    "module_load": """
        cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary cuModuleUnload cuModuleGetFunction
        cuLibraryLoadData cuLibraryGetKernel cuLibraryUnload cudaLibraryLoadData cuLinkCreate_v2 cuLinkComplete
        cuKernelGetFunction cuFuncLoad cudaGetFuncBySymbol_v11000 __cudaRegisterFatBinary""",
    "context_setup": """
        cuInit cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuCtxCreate_v2 cuCtxDestroy_v2
        cudaSetDevice_v3020 cudaSetDeviceFlags_v3020 cudaSetValidDevices_v3020 cudaInitDevice_v12000
        cudaDeviceReset_v3020 cudaDeviceEnablePeerAccess_v4000 cudaDeviceDisablePeerAccess_v4000
        cuCtxEnablePeerAccess cuCtxDisablePeerAccess cuGreenCtxCreate cudaGreenCtxCreate""",
    "stream_and_event_setup": """
        cudaStreamCreate_v3020 cudaStreamCreateWithFlags_v5000 cudaStreamCreateWithPriority_v5050
        cudaStreamDestroy_v5050 cuStreamCreate cuStreamDestroy_v2 cudaEventCreate_v3020
        cudaEventCreateWithFlags_v3020 cudaEventDestroy_v3020 cuEventCreate cuEventDestroy_v2""",
    "graph_build": """
        cudaGraphCreate_v10000 cudaGraphInstantiate_v12000 cudaGraphInstantiateWithFlags_v11040 cuGraphAddNode
        cudaGraphExecUpdate_v10020 cuGraphExecDestroy cudaStreamBeginCapture_v10000
        cudaStreamBeginCapture_ptsz_v10000 cudaStreamBeginCaptureToGraph_v12030 cudaStreamEndCapture_v10000
        cudaStreamUpdateCaptureDependencies_v11030""",
    "memory_management": """
        cudaMalloc_v3020 cudaMallocAsync_v11020 cudaMallocManaged_v6000 cudaMallocHost_v3020 cudaMallocPitch_v3020
        cudaMallocArray_v3020 cudaMalloc3DArray_v3020 cudaMallocFromPoolAsync_v11020 cudaFree_v3020
        cudaFreeAsync_v11020 cudaFreeHost_v3020 cudaFreeArray_v3020 cudaHostAlloc_v3020 cudaHostRegister_v4000
        cudaHostUnregister_v4000 cudaMemPoolCreate_v11020 cudaMemPoolTrimTo_v11020 cudaIpcOpenMemHandle_v4010
        cudaDeviceGraphMemTrim_v11040 cuMemAlloc_v2 cuMemAllocAsync cuMemAllocManaged cuMemFree_v2
        cuMemFreeAsync cuMemFreeHost cuMemHostAlloc cuMemHostRegister_v2 cuMemHostUnregister cuMemCreate
        cuMemMap cuMemUnmap cuMemRelease cuMemAddressReserve cuMemSetAccess cuMemExportToShareableHandle
        cuMemImportFromShareableHandle cuIpcOpenMemHandle_v2 cuIpcCloseMemHandle cuArrayCreate_v2
        cuArray3DCreate_v2 cuMipmappedArrayDestroy cuMulticastCreate""",
    "other_cuda_api": """
        cudaLaunchKernel_v7000 cudaLaunchKernelExC_v11060 cuLaunchKernel cuLaunchKernelEx cudaGraphLaunch_v10000
        cudaGraphLaunch_ptsz_v10000 cuGraphLaunch cudaMemcpyAsync_v3020 cudaMemcpyAsync_ptsz_v7000
        cuMemcpyHtoDAsync_v2 cudaMemcpyPeerAsync_v4000 cudaMemcpyBatchAsync_v12080 cudaMemset_v3020
        cudaMemsetAsync_v3020 cuMemsetD32Async cudaMemPrefetchAsync_v8000 cudaMemAdvise_v8000
        cudaMemGetInfo_v3020 cuMemGetInfo_v2 cuMemGetAddressRange_v2 cudaEventRecord_v3020
        cudaEventRecordWithFlags_v11010 cudaEventQuery_v3020 cudaStreamQuery_v3020 cudaStreamWaitEvent_v3020
        cuStreamWaitEvent cuCtxSetCurrent cuCtxGetCurrent cudaGetDevice_v3020 cudaGetLastError_v3020
        cuDeviceGetAttribute cuGetProcAddress_v2 cudaBindTexture_v3020 cuProfilerStart cuArrayGetDescriptor_v2
        cudaGraphicsMapResources_v3020 cuGraphicsGLRegisterBuffer cuIpcOpenEventHandle
        cudaLaunchHostFunc_v10000 cudaStreamIsCapturing_v10000 cudaStreamGetCaptureInfo_v2_v11030
        cudaThreadExchangeStreamCaptureMode_v10010""",
}
OS = {
    "os_wait_lock": """
        pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait pthread_mutex_lock pthread_mutex_timedlock
        pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_barrier_wait pthread_join pthread_timedjoin_np
        pthread_spin_lock sem_wait sem_timedwait semop semtimedop futex wait waitpid wait4 waitid cnd_wait mtx_lock
        thrd_join flock WaitForSingleObject WaitForMultipleObjectsEx SleepConditionVariableCS EnterCriticalSection""",
    "os_wait_io": """
        read pread64 readv preadv preadv2 preadv64 preadv64v2 write pwrite pwrite64 writev pwritev64 recv recvfrom
        recvmsg recvmmsg send sendto sendmsg sendfile sendfile64 poll ppoll __poll_chk __read_chk __recvfrom_chk
        select pselect epoll_wait epoll_pwait accept accept4 connect fopen fopen64 freopen
        fclose fread fread_unlocked __fread_chk fwrite fgets
        fgetc fputs fputc putc puts putchar getc getline getdelim fflush fsync fdatasync msync sync fprintf printf
        msgrcv msgsnd mq_receive mq_timedsend splice vmsplice tee io_getevents aio_suspend ReadFile WriteFile
        GetQueuedCompletionStatus""",
    "os_sleep": "sleep usleep nanosleep clock_nanosleep thrd_sleep Sleep SleepEx",
    "os_other": """
        ioctl mmap mmap64 munmap open open64 close fcntl dup pipe2 socket bind listen
        getsockname getsockopt getcwd setsockopt sched_yield pthread_create pthread_cond_signal
        pthread_cond_broadcast pthread_mutex_unlock pthread_rwlock_unlock sem_post mq_open readlink dlopen
        fork stat [Unknown]""",
}


@pytest.mark.parametrize(("view", "expected"), [("_api_cause", CUDA), ("_os_cause", OS)])
def test_a_name_stands_for_its_cause(build: Callable[[str], Path], view: str, expected: dict[str, str]) -> None:
    causes = {name: cause for cause, names in expected.items() for name in names.split()}
    rows = ", ".join(f"({number}, '{name}')" for number, name in enumerate(causes))
    with nsysql.open(build(f"INSERT INTO StringIds (id, value) VALUES {rows};")) as run:
        text = f"SELECT string.text, cause.cause FROM {view} AS cause JOIN string ON cause.id = string.id"
        assert dict(run.sql(text).rows()) == causes


def test_copies_and_graph_launches_are_known_by_name(build: Callable[[str], Path]) -> None:
    names = "cudaMemcpyAsync_v3020 cuMemcpyHtoD_v2 cudaGraphLaunch_v10000 cuGraphLaunch_ptsz cudaMemset_v3020"
    rows = ", ".join(f"({number}, '{name}')" for number, name in enumerate(names.split()))
    with nsysql.open(build(f"INSERT INTO StringIds (id, value) VALUES {rows};")) as run:
        found = run.sql("SELECT is_copy, is_graph_launch FROM _api_cause ORDER BY id").rows()
    assert found == [(True, False), (True, False), (False, True), (False, True), (False, False)]


def test_the_replay_knows_the_same_calls_as_memory_management() -> None:
    names = [name for names in CUDA.values() for name in names.split()]
    assert [name for name in names if re.search(MEMORY, name)] == CUDA["memory_management"].split()

/* The driver's calls but for streams: the device, contexts, memory, modules, launches, occupancy. */
#include "emulator.h"

#include <stdio.h>
#include <stdlib.h>

/* CUdevice_attribute */
enum { MAX_THREADS_PER_BLOCK = 1, MAX_BLOCK_X, MAX_BLOCK_Y, MAX_BLOCK_Z, MAX_GRID_X, MAX_GRID_Y, MAX_GRID_Z, MAX_SHARED_PER_BLOCK,
       WARP_SIZE = 10, MAX_REGISTERS_PER_BLOCK = 12, MULTIPROCESSORS = 16, MAX_THREADS_PER_MULTIPROCESSOR = 39,
       UNIFIED_ADDRESSING = 41, MAJOR = 75, MINOR = 76 };
/* CUfunction_attribute */
enum { FUNCTION_MAX_THREADS = 0, FUNCTION_LOCAL = 3, FUNCTION_REGISTERS = 4 };

static int multiprocessors = 2;
static long allocations_left = -1; /* until two fail, since CuPy asks again once its pool is empty; -1 for no failure */
static long launches_left = -1; /* until one loses the device; -1 where none does */
static long launches_until_full = -1; /* then one is refused for want of memory; -1 where none is */
static int lost;
static int context_made;
static _Thread_local void *contexts[64];
static _Thread_local int depth;
static char the_context;

void emulator_set_multiprocessors(int count) {
    multiprocessors = count;
}

/* Let the device's memory be refused twice in a row, after so many allocations more. */
void emulator_fail_allocation(long after) {
    allocations_left = after < 0 ? -1 : after + 2;
}

/* Refuse one launch, after so many that succeed, as where the driver has no memory for the stacks of its threads. */
void emulator_refuse_launch(long after) {
    launches_until_full = after;
}

/* Whether a launch has met a fault, after which a driver refuses every call. */
int emulator_lost(void) {
    return lost;
}

/* Whether the launch of a kernel, in a graph or by itself, is refused; one of them meets a fault. */
int launch_loses_device(void) {
    lost |= launches_left == 0;
    launches_left -= launches_left > 0;
    return lost;
}

int cuInit(unsigned flags) {
    (void)flags;
    const char *after = getenv("GPUMCTS_PTX_LOSE_AFTER"); /* so many launches */
    if (after && launches_left < 0) launches_left = atol(after);
    return OK;
}

int cuDriverGetVersion(int *version) {
    *version = 13000;
    return OK;
}

int cuDeviceGetCount(int *count) {
    *count = 1;
    return OK;
}

int cuDeviceGet(int *device, int number) {
    *device = number;
    return number == 0 ? OK : 101;
}

int cuDeviceGetName(char *name, int size, int device) {
    (void)device;
    snprintf(name, (size_t)size, "Emulated device");
    return OK;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = memory_total();
    return OK;
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
    (void)device;
    memset(uuid, 7, 16);
    return OK;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) {
    case MAX_THREADS_PER_BLOCK: case MAX_BLOCK_X: case MAX_BLOCK_Y: *value = 1024; break;
    case MAX_BLOCK_Z: *value = 64; break;
    case MAX_GRID_X: *value = 2147483647; break;
    case MAX_GRID_Y: case MAX_GRID_Z: *value = 65535; break;
    case MAX_SHARED_PER_BLOCK: *value = 49152; break;
    case WARP_SIZE: *value = WARP; break;
    case MAX_REGISTERS_PER_BLOCK: *value = 65536; break;
    case MULTIPROCESSORS: *value = multiprocessors; break;
    case MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
    case UNIFIED_ADDRESSING: *value = 1; break;
    case MAJOR: *value = 9; break;
    case MINOR: *value = 0; break;
    default: *value = 0;
    }
    return OK;
}

/* --------------------------------------------------------------------------------------------------------- contexts */

int has_context(void) {
    return depth > 0;
}

/* CUDA's runtime gives a thread that calls it the device's context; the driver's own calls are refused without one. */
void emulator_enter_runtime(void) {
    if (!depth) contexts[depth++] = &the_context;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
    (void)device;
    *context = &the_context;
    context_made = 1;
    return OK;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
    (void)device;
    return OK;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
    (void)device;
    *flags = 0, *active = context_made;
    return OK;
}

int cuCtxGetCurrent(void **context) {
    *context = depth ? contexts[depth - 1] : NULL;
    return OK;
}

int cuCtxSetCurrent(void *context) {
    if (!context) depth = depth ? depth - 1 : 0;
    else contexts[depth ? depth - 1 : depth++] = context;
    return OK;
}

int cuCtxPushCurrent_v2(void *context) {
    if (depth == 64) return INVALID_VALUE;
    contexts[depth++] = context;
    return OK;
}

int cuCtxPopCurrent_v2(void **context) {
    if (!depth) return INVALID_CONTEXT;
    *context = contexts[--depth];
    return OK;
}

int cuCtxGetDevice(int *device) {
    *device = 0;
    return depth ? OK : INVALID_CONTEXT;
}

int cuCtxGetDevice_v2(int *device, void *context) {
    (void)context;
    *device = 0;
    return OK;
}

int cuStreamGetDevice(void *stream, int *device) {
    return cuCtxGetDevice_v2(device, stream);
}

int cuStreamGetCtx(void *stream, void **context) {
    (void)stream;
    *context = &the_context;
    return OK;
}

int cuStreamGetCtx_v2(void *stream, void **context, void **green) {
    if (green) *green = NULL;
    return cuStreamGetCtx(stream, context);
}

int cuCtxSynchronize(void) {
    lock();
    synchronize_all();
    unlock();
    return OK;
}

/* ----------------------------------------------------------------------------------------------------------- memory */

int cuMemGetInfo_v2(size_t *unused, size_t *total) {
    *unused = memory_unused(), *total = memory_total();
    return OK;
}

int cuMemAlloc_v2(uint64_t *address, size_t size) {
    lock();
    int refused = allocations_left == 2 || allocations_left == 1;
    allocations_left -= allocations_left > 0;
    *address = size && !refused ? memory_allocate(size) : 0;
    unlock();
    return *address ? OK : size ? OUT_OF_MEMORY : INVALID_VALUE;
}

int cuMemFree_v2(uint64_t address) {
    lock();
    synchronize_all();
    int found = memory_free(address);
    unlock();
    if (!found) fault("memory at %#llx is freed that is not an allocation", (unsigned long long)address);
    return OK;
}

int cuMemHostAlloc(void **memory, size_t size, unsigned flags) {
    (void)flags;
    lock();
    *memory = host_allocate(size);
    unlock();
    return *memory ? OK : OUT_OF_MEMORY;
}

int cuMemAllocHost_v2(void **memory, size_t size) {
    return cuMemHostAlloc(memory, size, 0);
}

int cuMemFreeHost(void *memory) {
    lock();
    synchronize_all();
    host_free(memory);
    unlock();
    return OK;
}

static int copy(uint64_t target, uint64_t source, size_t size, struct stream *stream, int waits) {
    lock();
    if (memory_is_device(target)) memory_check("a copy to the device", target, size);
    if (memory_is_device(source)) memory_check("a copy from the device", source, size);
    struct operation *o = copy_of(target, source, size);
    stage_source(o);
    queue(stream, o);
    if (waits) synchronize_default();
    unlock();
    return OK;
}

int cuMemcpyHtoDAsync_v2(uint64_t target, const void *source, size_t size, struct stream *stream) {
    return copy(target, (uint64_t)source, size, stream, 0);
}

int cuMemcpyDtoHAsync_v2(void *target, uint64_t source, size_t size, struct stream *stream) {
    return copy((uint64_t)target, source, size, stream, 0);
}

int cuMemcpyDtoDAsync_v2(uint64_t target, uint64_t source, size_t size, struct stream *stream) {
    return copy(target, source, size, stream, 0);
}

int cuMemcpyHtoD_v2(uint64_t target, const void *source, size_t size) {
    return copy(target, (uint64_t)source, size, NULL, 1);
}

int cuMemcpyDtoH_v2(void *target, uint64_t source, size_t size) {
    return copy((uint64_t)target, source, size, NULL, 1);
}

/* CUDA_MEMCPY2D, of which arrays are not emulated */
struct rectangle {
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    uint64_t from_device;
    void *from_array;
    size_t from_pitch, to_x, to_y;
    int to_kind;
    void *to_host;
    uint64_t to_device;
    void *to_array;
    size_t to_pitch, width, rows;
};

#define ON_DEVICE 2

int cuMemcpy2DAsync_v2(const struct rectangle *r, struct stream *stream) {
    if (r->from_kind != ON_DEVICE || r->to_kind != ON_DEVICE) fault("copies of rows are emulated on the device alone");
    if (r->width > r->from_pitch || r->width > r->to_pitch) return INVALID_VALUE;
    if (!r->rows || !r->width) return OK;
    uint64_t target = r->to_device + r->to_y * r->to_pitch + r->to_x;
    uint64_t source = r->from_device + r->from_y * r->from_pitch + r->from_x;
    lock();
    memory_check("a copy of rows", target, (r->rows - 1) * r->to_pitch + r->width);
    memory_check("a copy of rows", source, (r->rows - 1) * r->from_pitch + r->width);
    queue(stream, rows_of(target, r->to_pitch, source, r->from_pitch, r->width, r->rows));
    unlock();
    return OK;
}

int cuMemsetD8Async(uint64_t target, unsigned char byte, size_t size, struct stream *stream) {
    lock();
    memory_check("a fill", target, size);
    queue(stream, fill_of(target, byte, size));
    unlock();
    return OK;
}

int cuMemsetD8_v2(uint64_t target, unsigned char byte, size_t size) {
    cuMemsetD8Async(target, byte, size, NULL);
    lock();
    synchronize_default();
    unlock();
    return OK;
}

/* ------------------------------------------------------------------------------------------- modules and launches */

int cuLibraryLoadData(void **library, const void *image, void *o, void *v, unsigned n, void *p, void *q, unsigned m) {
    (void)o, (void)v, (void)n, (void)p, (void)q, (void)m;
    lock();
    int known = image_is_known(image);
    unlock();
    if (!known) fault("code is loaded whose PTX is not known: it was not linked by numba in this process");
    *library = (void *)image;
    return OK;
}

int cuLibraryUnload(void *library) {
    (void)library;
    return OK;
}

int cuLibraryGetKernel(struct kernel **kernel, void *library, const char *name) {
    lock();
    *kernel = kernel_of_image(library, name);
    unlock();
    return *kernel ? OK : NOT_FOUND;
}

int cuKernelGetFunction(struct kernel **function, struct kernel *kernel) {
    *function = kernel;
    return OK;
}

int cuFuncGetAttribute(int *value, int attribute, struct kernel *kernel) {
    switch (attribute) {
    case FUNCTION_MAX_THREADS: *value = kernel->most_threads; break;
    case FUNCTION_LOCAL: *value = kernel->local; break;
    case FUNCTION_REGISTERS: *value = kernel->registers; break;
    default: *value = 0;
    }
    return OK;
}

int cuKernelGetAttribute(int *value, int attribute, struct kernel *kernel, int device) {
    (void)device;
    return cuFuncGetAttribute(value, attribute, kernel);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct kernel *kernel, int threads, size_t shared) {
    (void)shared;
    *blocks = blocks_at_once(kernel, (uint32_t)threads);
    return OK;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, struct kernel *kernel, int threads, size_t shared, unsigned flags) {
    (void)flags;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}

int cuLaunchKernel(struct kernel *kernel, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned threads_y, unsigned threads_z,
                   unsigned shared, struct stream *stream, void **arguments, void **extra) {
    if (y != 1 || z != 1 || threads_y != 1 || threads_z != 1) fault("launches of more than one dimension are not emulated");
    if (shared || extra) fault("launches with shared memory or packed arguments are not emulated");
    if (launch_loses_device()) return ILLEGAL_ADDRESS;
    if (launches_until_full >= 0 && launches_until_full-- == 0) return OUT_OF_MEMORY;
    if (!x || !threads) return INVALID_VALUE;
    if (threads > (unsigned)kernel->most_threads) return OUT_OF_RESOURCES;
    lock();
    int code = queue(stream, launch_of(kernel, x, threads, arguments));
    unlock();
    return code;
}

/* CUlaunchConfig */
struct launch {
    unsigned x, y, z, threads, threads_y, threads_z, shared;
    struct stream *stream;
    void *attributes;
    unsigned attribute_count;
};

int cuLaunchKernelEx(const struct launch *l, struct kernel *kernel, void **arguments, void **extra) {
    if (l->attribute_count) fault("attributes of launches are not emulated");
    return cuLaunchKernel(kernel, l->x, l->y, l->z, l->threads, l->threads_y, l->threads_z, l->shared, l->stream, arguments, extra);
}

int cuGetErrorName(int code, const char **name) {
    *name = code == OK ? "CUDA_SUCCESS" : code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == OUT_OF_RESOURCES ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" : "CUDA_ERROR_INVALID_VALUE";
    return OK;
}

int cuGetErrorString(int code, const char **text) {
    return cuGetErrorName(code, text);
}

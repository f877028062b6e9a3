/* The device's memory: allocations that never share an address, and for each of their bytes who touched it in this launch.

A cell of 32 bits for a byte: the launch (12 bits), the thread (18 bits, MANY for several), and how it was touched (2 bits).
0 is a byte that is not allocated. Threads of a launch have no order among themselves here, so what one of them writes without
an atomic operation no other may touch in any way: every such race is seen, in whatever order the threads ran. */
#include "emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SPAN (1ull << 38)
#define GUARD 512 /* bytes between allocations */
#define READ 1u
#define WRITE 2u
#define ATOMIC 3u
#define HOW 3u
#define THREAD_SHIFT 2
#define MANY 0x3ffffu
#define LAUNCH_SHIFT 20
#define LAST_LAUNCH 0xfffu
#define UNTOUCHED READ /* by no launch that there is */

static struct allocation { uint64_t begin, size; int used; } *allocations;
static size_t count, room;
static uint64_t base, top, used, total = 8ull << 30, told_unused = ~0ull;
static uint32_t *cells, launch_number;
static struct pinned { void *begin; size_t size; struct pinned *next; } *pinned;

void emulator_limit_memory(uint64_t bytes, uint64_t told) {
    total = bytes, told_unused = told;
}

uint64_t memory_total(void) {
    return total;
}

uint64_t memory_unused(void) {
    if (told_unused != ~0ull) return told_unused;
    return total > used ? total - used : 0;
}

static void reserve(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, SPAN, PROT_READ | PROT_WRITE, flags, -1, 0);
    void *shadow = mmap(NULL, SPAN * sizeof *cells, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED || shadow == MAP_FAILED) fault("no address space for the device's memory");
    base = top = (uint64_t)memory;
    cells = shadow;
}

static void touch_none(const struct allocation *a) {
    uint32_t *cell = cells + (a->begin - base);
    for (uint64_t i = 0; i < a->size; i++) cell[i] = UNTOUCHED;
}

uint64_t memory_allocate(uint64_t size) {
    if (!base) reserve();
    uint64_t begin = (top + GUARD + 511) / 512 * 512;
    if (size == 0 || used + size > total || begin + size > base + SPAN) return 0;
    if (count == room) allocations = realloc(allocations, (room = 2 * room + 64) * sizeof *allocations);
    struct allocation *a = &allocations[count++];
    *a = (struct allocation){begin, size, 1};
    memset((void *)begin, (int)(poison & 255), size);
    touch_none(a);
    top = begin + size;
    used += size;
    return begin;
}

/* The last allocation that begins at or before an address. */
static struct allocation *allocation_before(uint64_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (allocations[middle].begin <= address) low = middle + 1;
        else high = middle;
    }
    return low ? &allocations[low - 1] : NULL;
}

int memory_free(uint64_t address) {
    struct allocation *a = allocation_before(address);
    if (!a || a->begin != address || !a->used) return 0;
    memset(cells + (a->begin - base), 0, a->size * sizeof *cells);
    if (a->size >= 1 << 16) {
        uint64_t begin = (a->begin + 4095) / 4096 * 4096, end = (a->begin + a->size) / 4096 * 4096;
        madvise((void *)begin, end - begin, MADV_DONTNEED);
        madvise(cells + (begin - base), (end - begin) * sizeof *cells, MADV_DONTNEED);
    }
    a->used = 0;
    used -= a->size;
    return 1;
}

/* What an unused allocation of a pool holds, whom nothing may lean on. */
void emulator_poison_memory(uint64_t address, uint64_t size) {
    memory_check("poison", address, size);
    memset((void *)address, (int)(poison & 255), size);
}

int memory_is_device(uint64_t address) {
    return base && address - base < SPAN;
}

void memory_check(const char *what, uint64_t address, uint64_t size) {
    struct allocation *a = memory_is_device(address) ? allocation_before(address) : NULL;
    if (size == 0) return;
    if (!a || !a->used || address + size > a->begin + a->size)
        fault("%s: %llu bytes at %#llx are not in an allocation", what, (unsigned long long)size, (unsigned long long)address);
}

void memory_begin_launch(uint32_t threads) {
    if (threads >= MANY) fault("a launch of %u threads: at most %u are told apart", threads, MANY - 1);
    if (launch_number == LAST_LAUNCH) {
        for (size_t i = 0; i < count; i++)
            if (allocations[i].used) touch_none(&allocations[i]);
        launch_number = 0;
    }
    launch_number++;
}

/* ------------------------------------------------------------------------------------------------ what kernels do */

static const char *const verbs[] = {"", "reads", "writes", "adds atomically to"};

_Noreturn static void outside(struct lane *lane, uint64_t address, uint32_t size, uint32_t how, uint32_t line) {
    struct allocation *a = memory_is_device(address) ? allocation_before(address) : NULL;
    if (!a) emulator_fault(lane, line, "%s %u bytes at %#llx, which is no memory", verbs[how], size, (unsigned long long)address);
    emulator_fault(lane, line, "%s %u bytes out of bounds, at byte %llu of %s of %llu bytes", verbs[how], size,
                   (unsigned long long)(address - a->begin), a->used ? "an allocation" : "a freed allocation",
                   (unsigned long long)a->size);
}

_Noreturn static void race(struct lane *lane, uint64_t address, uint32_t cell, uint32_t how, uint32_t line) {
    uint32_t thread = cell >> THREAD_SHIFT & MANY;
    struct allocation *a = allocation_before(address);
    char other[32] = "several threads";
    if (thread != MANY) snprintf(other, sizeof other, "thread %u", thread);
    emulator_fault(lane, line, "race: %s byte %llu of an allocation of %llu, which %s of the launch %s", verbs[how],
                   (unsigned long long)(address - a->begin), (unsigned long long)a->size, other, verbs[cell & HOW]);
}

/* A cell after a thread of the present launch, `own`, touches its byte. */
static uint32_t touched(struct lane *lane, uint64_t address, uint32_t cell, uint32_t own, uint32_t how, uint32_t line) {
    uint32_t before = cell & HOW, many = own | MANY << THREAD_SHIFT;
    if (cell >> LAUNCH_SHIFT != own >> LAUNCH_SHIFT) return own | how;
    if ((cell & ~HOW) == own) return own | (before == how ? how : WRITE); /* its own alone, once it is not atomic alone */
    if (before == how && how != WRITE) return many | how;
    race(lane, address, cell, how, line);
}

static inline void touch(struct lane *lane, uint64_t address, uint32_t size, uint32_t how, uint32_t line) {
    if (address - base >= SPAN) outside(lane, address, size, how, line);
    if (address % size) emulator_fault(lane, line, "%s %u bytes at %#llx, misaligned", verbs[how], size, (unsigned long long)address);
    uint32_t *cell = cells + (address - base), own = launch_number << LAUNCH_SHIFT | lane->thread << THREAD_SHIFT;
    for (uint32_t i = 0; i < size; i++) {
        if (cell[i] == (own | how)) continue;
        if (cell[i] == 0) outside(lane, address, size, how, line);
        cell[i] = touched(lane, address + i, cell[i], own, how, line);
    }
}

/* Whether an address lies in the kernel's own tables, whose end it may not cross. */
static int in_variable(struct lane *lane, uint64_t address, uint32_t size, int writes, uint32_t line) {
    const struct kernel *kernel = running_kernel();
    for (uint32_t i = 0; i < kernel->variable_count; i++) {
        const struct variable *v = &kernel->variables[i];
        uint64_t offset = address - (uint64_t)v->address;
        if (offset >= v->size) continue;
        if (offset + size > v->size) emulator_fault(lane, line, "%u bytes beyond the end of %.80s", size, v->name);
        if (offset % size) emulator_fault(lane, line, "%u bytes of %.80s, misaligned", size, v->name);
        if (writes && !v->writable) emulator_fault(lane, line, "writes %.80s, which is constant", v->name);
        return 1;
    }
    return 0;
}

void emulator_load(struct lane *lane, uint64_t address, uint32_t size, uint32_t line) {
    if (address - base >= SPAN && in_variable(lane, address, size, 0, line)) return;
    touch(lane, address, size, READ, line);
}

void emulator_store(struct lane *lane, uint64_t address, uint32_t size, uint32_t line) {
    if (address - base >= SPAN && in_variable(lane, address, size, 1, line)) return;
    touch(lane, address, size, WRITE, line);
}

void emulator_atomic(struct lane *lane, uint64_t address, uint32_t size, uint32_t line) {
    touch(lane, address, size, ATOMIC, line);
}

/* ------------------------------------------------------------------------------------------------ pinned host memory */

void *host_allocate(size_t size) {
    struct pinned *p = malloc(sizeof *p);
    void *memory = size > SPAN ? NULL : malloc(size ? size : 1);
    if (!p || !memory) return free(p), NULL;
    memset(memory, (int)(poison & 255), size);
    *p = (struct pinned){memory, size, pinned};
    pinned = p;
    return memory;
}

void host_free(void *memory) {
    for (struct pinned **at = &pinned; *at; at = &(*at)->next) {
        if ((*at)->begin != memory) continue;
        struct pinned *gone = *at;
        *at = gone->next;
        free(gone->begin);
        free(gone);
        return;
    }
    fault("memory of the host is freed that was not allocated");
}

int host_is_pinned(const void *address) {
    for (struct pinned *p = pinned; p; p = p->next)
        if ((const char *)address >= (char *)p->begin && (const char *)address < (char *)p->begin + p->size) return 1;
    return 0;
}

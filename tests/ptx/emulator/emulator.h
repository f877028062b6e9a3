/* What the emulator's own files share. All of it runs under one lock, which the driver's calls take. */
#ifndef EMULATOR_H
#define EMULATOR_H

#include "lane.h"

#include <stddef.h>

#define WARP 32
#define FAULT_EXIT 70 /* the exit code of a process that a fault ends */

/* CUresult */
enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, NOT_FOUND = 500,
       NOT_READY = 600, ILLEGAL_ADDRESS = 700, OUT_OF_RESOURCES = 701, CAPTURE_UNSUPPORTED = 900 };

typedef void kernel_function(struct lane *, const unsigned char *parameters);

/* A kernel, translated and compiled: what the shared object exports, and what the linker said of it. */
struct kernel {
    char *name;
    kernel_function *run;
    uint32_t parameters;
    const uint32_t *sizes; /* of the parameters, in bytes */
    const struct variable *variables;
    uint32_t variable_count;
    int registers, local, most_threads;
};

/* ------------------------------------------------------------------------------------------------------- faults.c */

/* One line on stderr, and in the file that the environment names, then the process ends. */
_Noreturn void fault(const char *format, ...);

/* ------------------------------------------------------------------------------------------------------- memory.c */

uint64_t memory_allocate(uint64_t size); /* 0 where there is none */
int memory_free(uint64_t address);       /* whether an allocation begins there */
void memory_check(const char *what, uint64_t address, uint64_t size);
int memory_is_device(uint64_t address);
void memory_begin_launch(uint32_t threads);
uint64_t memory_total(void);
uint64_t memory_unused(void);
void *host_allocate(size_t size);
void host_free(void *);
int host_is_pinned(const void *);

/* -------------------------------------------------------------------------------------------------------- lanes.c */

extern uint64_t poison; /* what memory and registers hold before they are written; of a word, every byte the same */
uint64_t random_word(void);
void run_grid(const struct kernel *, uint32_t blocks, uint32_t threads, const unsigned char *parameters);
const struct kernel *running_kernel(void);

/* ------------------------------------------------------------------------------------------------------ modules.c */

struct kernel *kernel_of_image(const void *image, const char *name);
int image_is_known(const void *image);
int blocks_at_once(const struct kernel *, uint32_t threads);

/* ------------------------------------------------------------------------------------------------------ streams.c */

struct stream;
struct event;
struct operation;

void lock(void);
void unlock(void);
struct operation *copy_of(uint64_t target, uint64_t source, uint64_t size);
struct operation *rows_of(uint64_t target, uint64_t to_pitch, uint64_t source, uint64_t from_pitch, uint64_t width, uint64_t rows);
struct operation *fill_of(uint64_t target, unsigned char byte, uint64_t size);
struct operation *launch_of(const struct kernel *, uint32_t blocks, uint32_t threads, void **arguments);
void stage_source(struct operation *); /* pageable memory is read at once */
int queue(struct stream *, struct operation *);
void synchronize_stream(struct stream *);
void synchronize_default(void);
void synchronize_all(void);

/* ------------------------------------------------------------------------------------------------------- driver.c */

int launch_loses_device(void); /* the launch of a kernel, in a graph or by itself: whether it is refused */
int has_context(void); /* the thread that calls */

#endif

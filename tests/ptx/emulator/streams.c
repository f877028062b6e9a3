/* Streams, events and graphs. What is queued in a stream is done when someone waits for it, and not before.

So a result that is read without waiting for it is still poison or stale, and a buffer that is written while a copy from it is in
the queue spoils the copy. */
#define _GNU_SOURCE
#include "emulator.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum kind { COPY, ROWS, FILL, LAUNCH, RECORD, WAIT };

struct operation {
    struct operation *next;
    enum kind kind;
    uint64_t target, source, size, to_pitch, from_pitch, rows;
    unsigned char byte, *staged, *parameters;
    const struct kernel *kernel;
    uint32_t blocks, threads;
    struct event *event;
    uint64_t record; /* of the event, the one to wait for */
};

struct list { struct operation *first, *last; };
struct stream { struct list operations, captured; int blocking, capturing; struct stream *next; };
struct event { double moment; uint64_t asked, done, uses; struct stream *stream; int destroyed; }; /* uses: by operations */
struct graph { struct list operations; };

static struct stream default_stream = {.blocking = 1}, *streams;
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void lock(void) {
    pthread_mutex_lock(&mutex);
}

void unlock(void) {
    pthread_mutex_unlock(&mutex);
}

static struct stream *resolved(struct stream *s) {
    if ((uint64_t)s <= 2 || s == &default_stream) return &default_stream; /* 1 and 2 are the driver's names for it */
    for (struct stream *known = streams; known; known = known->next)
        if (known == s) return s;
    fault("a stream is used that was destroyed, or never made");
}

static void append(struct list *list, struct operation *o) {
    o->next = NULL;
    if (list->last) list->last->next = o;
    else list->first = o;
    list->last = o;
}

/* ------------------------------------------------------------------------------------------------------ operations */

static struct operation *operation(enum kind kind, uint64_t target, uint64_t source, uint64_t size) {
    struct operation *o = calloc(1, sizeof *o);
    o->kind = kind, o->target = target, o->source = source, o->size = size;
    return o;
}

struct operation *copy_of(uint64_t target, uint64_t source, uint64_t size) {
    return operation(COPY, target, source, size);
}

struct operation *rows_of(uint64_t target, uint64_t to_pitch, uint64_t source, uint64_t from_pitch, uint64_t width, uint64_t rows) {
    struct operation *o = operation(ROWS, target, source, width);
    o->to_pitch = to_pitch, o->from_pitch = from_pitch, o->rows = rows;
    return o;
}

struct operation *fill_of(uint64_t target, unsigned char byte, uint64_t size) {
    struct operation *o = operation(FILL, target, 0, size);
    o->byte = byte;
    return o;
}

static uint64_t parameter_bytes(const struct kernel *k) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < k->parameters; i++) bytes = (bytes + k->sizes[i] - 1) / k->sizes[i] * k->sizes[i] + k->sizes[i];
    return bytes;
}

struct operation *launch_of(const struct kernel *k, uint32_t blocks, uint32_t threads, void **arguments) {
    struct operation *o = operation(LAUNCH, 0, 0, parameter_bytes(k));
    o->kernel = k, o->blocks = blocks, o->threads = threads;
    o->parameters = malloc(o->size + 1);
    uint64_t at = 0;
    for (uint32_t i = 0; i < k->parameters; i++) {
        at = (at + k->sizes[i] - 1) / k->sizes[i] * k->sizes[i];
        memcpy(o->parameters + at, arguments[i], k->sizes[i]);
        at += k->sizes[i];
    }
    return o;
}

void stage_source(struct operation *o) {
    if (memory_is_device(o->source) || host_is_pinned((void *)o->source)) return;
    o->staged = malloc(o->size + 1);
    memcpy(o->staged, (void *)o->source, o->size);
    o->source = (uint64_t)o->staged;
}

static struct operation *again(const struct operation *of) {
    struct operation *o = malloc(sizeof *o);
    *o = *of;
    if (of->event) of->event->uses++;
    if (of->parameters) o->parameters = memcpy(malloc(o->size + 1), of->parameters, o->size);
    if (of->staged) fault("a graph with a copy from pageable memory is not emulated");
    return o;
}

static void discard(struct operation *o) {
    if (o->event && !--o->event->uses && o->event->destroyed) free(o->event);
    free(o->parameters);
    free(o->staged);
    free(o);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_until(struct stream *, const struct event *, uint64_t record);

/* The memory of an operation must be there still when its turn comes. */
static void check_device(const char *what, uint64_t address, uint64_t size) {
    if (memory_is_device(address)) memory_check(what, address, size);
}

static void perform(struct operation *o) {
    switch (o->kind) {
    case COPY:
        check_device("a copy", o->target, o->size);
        check_device("a copy", o->source, o->size);
        memmove((void *)o->target, (void *)o->source, o->size);
        break;
    case ROWS:
        memory_check("a copy of rows", o->target, (o->rows - 1) * o->to_pitch + o->size);
        memory_check("a copy of rows", o->source, (o->rows - 1) * o->from_pitch + o->size);
        for (uint64_t row = 0; row < o->rows; row++)
            memmove((void *)(o->target + row * o->to_pitch), (void *)(o->source + row * o->from_pitch), o->size);
        break;
    case FILL:
        memory_check("a fill", o->target, o->size);
        memset((void *)o->target, o->byte, o->size);
        break;
    case LAUNCH: run_grid(o->kernel, o->blocks, o->threads, o->parameters); break;
    case RECORD:
        o->event->moment = now();
        o->event->done++;
        break;
    case WAIT: run_until(o->event->stream, o->event, o->record); break;
    }
}

/* ---------------------------------------------------------------------------------------------------------- running */

static void run_first(struct stream *s) {
    struct operation *o = s->operations.first;
    s->operations.first = o->next;
    if (!o->next) s->operations.last = NULL;
    perform(o);
    discard(o);
}

static void run_until(struct stream *s, const struct event *e, uint64_t record) {
    while (e->done < record) {
        if (!s || !s->operations.first) fault("an event is waited for that will never be");
        run_first(s);
    }
}

static void drain(struct stream *s) {
    while (s->operations.first) run_first(s);
}

void synchronize_stream(struct stream *s) {
    s = resolved(s);
    if (s->capturing) fault("a stream is waited for while it is captured");
    if (s == &default_stream) synchronize_default();
    else drain(s);
}

/* The default stream waits for all streams but those that were made not to block. */
void synchronize_default(void) {
    for (struct stream *s = streams; s; s = s->next)
        if (s->blocking) drain(s);
    drain(&default_stream);
}

/* Everything, the streams' operations in a shuffled order. */
void synchronize_all(void) {
    for (;;) {
        struct stream *chosen = NULL;
        uint64_t busy = 0;
        for (struct stream *s = streams; s; s = s->next)
            if (s->operations.first && random_word() % ++busy == 0) chosen = s;
        if (!chosen) break;
        run_first(chosen);
    }
    drain(&default_stream);
}

static void asked_for(struct event *e, struct stream *s) {
    e->stream = s;
    e->asked++;
}

/* Put an operation at the end of a stream; the default stream and blocking ones wait for each other. */
int queue(struct stream *s, struct operation *o) {
    s = resolved(s);
    if (s == &default_stream || s->blocking) {
        for (struct stream *other = streams; other; other = other->next)
            if (s == &default_stream && other->blocking) drain(other);
        if (s != &default_stream) drain(&default_stream);
    }
    append(s->capturing ? &s->captured : &s->operations, o);
    return OK;
}

/* ------------------------------------------------------------------------------------------------ the driver's calls */

int emulator_is_idle(void) {
    lock();
    int idle = !default_stream.operations.first;
    for (struct stream *s = streams; s; s = s->next) idle &= !s->operations.first;
    unlock();
    return idle;
}

int cuStreamCreate(struct stream **s, unsigned flags) {
    lock();
    *s = calloc(1, sizeof **s);
    **s = (struct stream){.blocking = !(flags & 1), .next = streams};
    streams = *s;
    unlock();
    return OK;
}

int cuStreamCreateWithPriority(struct stream **s, unsigned flags, int priority) {
    (void)priority;
    return cuStreamCreate(s, flags);
}

int cuStreamDestroy_v2(struct stream *s) {
    lock();
    drain(resolved(s));
    for (struct stream **at = &streams; *at; at = &(*at)->next) {
        if (*at != s) continue;
        *at = s->next;
        break;
    }
    free(s);
    unlock();
    return OK;
}

int cuStreamSynchronize(struct stream *s) {
    lock();
    synchronize_stream(s);
    unlock();
    return OK;
}

/* Who asks again and again sees the stream get on. */
int cuStreamQuery(struct stream *s) {
    lock();
    s = resolved(s);
    int busy = s->operations.first != NULL;
    if (busy) run_first(s);
    unlock();
    return busy ? NOT_READY : OK;
}

int cuStreamWaitEvent(struct stream *s, struct event *e, unsigned flags) {
    (void)flags;
    lock();
    if (e->asked > 0) {
        struct operation *o = operation(WAIT, 0, 0, 0);
        o->event = e, o->record = e->asked, e->uses++;
        queue(s, o);
    }
    unlock();
    return OK;
}

int cuEventCreate(struct event **e, unsigned flags) {
    (void)flags;
    *e = calloc(1, sizeof **e);
    return OK;
}

/* What is in a stream goes on with it. */
int cuEventDestroy_v2(struct event *e) {
    lock();
    e->destroyed = 1;
    if (!e->uses) free(e);
    unlock();
    return OK;
}

/* In a stream that is captured an event is recorded when the graph is played, and only if that is asked for. */
int cuEventRecordWithFlags(struct event *e, struct stream *s, unsigned flags) {
    lock();
    s = resolved(s);
    if (s->capturing && !(flags & 1)) fault("an event is recorded in a capture, where it marks a place and no time");
    if (e->stream && e->stream != s && e->done < e->asked) run_until(e->stream, e, e->asked);
    struct operation *o = operation(RECORD, 0, 0, 0);
    o->event = e, e->uses++;
    if (!s->capturing) asked_for(e, s);
    queue(s, o);
    unlock();
    return OK;
}

int cuEventRecord(struct event *e, struct stream *s) {
    return cuEventRecordWithFlags(e, s, 0);
}

int cuEventSynchronize(struct event *e) {
    lock();
    run_until(e->stream, e, e->asked);
    unlock();
    return OK;
}

int cuEventQuery(struct event *e) {
    lock();
    int pending = e->done < e->asked;
    if (pending) run_first(e->stream);
    unlock();
    return pending ? NOT_READY : OK;
}

int cuEventElapsedTime_v2(float *milliseconds, struct event *from, struct event *to) {
    if (from->done < from->asked || to->done < to->asked) return NOT_READY;
    *milliseconds = (float)(1e3 * (to->moment - from->moment));
    return OK;
}

int cuEventElapsedTime(float *milliseconds, struct event *from, struct event *to) {
    return cuEventElapsedTime_v2(milliseconds, from, to);
}

/* ------------------------------------------------------------------------------------------------------------ graphs */

int cuStreamBeginCapture_v2(struct stream *s, int mode) {
    (void)mode;
    if (!has_context()) return INVALID_CONTEXT;
    if (resolved(s) == &default_stream) return CAPTURE_UNSUPPORTED;
    s->capturing = 1;
    s->captured = (struct list){0};
    return OK;
}

int cuStreamEndCapture(struct stream *s, struct graph **g) {
    *g = calloc(1, sizeof **g);
    (*g)->operations = s->captured;
    s->capturing = 0;
    return OK;
}

int cuStreamIsCapturing(struct stream *s, int *status) {
    *status = resolved(s)->capturing;
    return OK;
}

int cuStreamGetCaptureInfo_v2(struct stream *s, int *status, uint64_t *id, void **graph, void **dependencies, size_t *count) {
    (void)graph, (void)dependencies, (void)count;
    *status = resolved(s)->capturing;
    if (id) *id = 1;
    return OK;
}

int cuGraphInstantiateWithFlags(struct graph **executable, struct graph *g, unsigned long long flags) {
    (void)flags;
    *executable = calloc(1, sizeof **executable);
    for (struct operation *o = g->operations.first; o; o = o->next) append(&(*executable)->operations, again(o));
    return OK;
}

int cuGraphLaunch(struct graph *executable, struct stream *s) {
    int code = OK;
    if (!has_context()) return INVALID_CONTEXT;
    lock();
    for (struct operation *o = executable->operations.first; o; o = o->next) {
        if (o->kind == LAUNCH && launch_loses_device()) code = ILLEGAL_ADDRESS;
        if (code) break;
        if (o->kind == RECORD) asked_for(o->event, resolved(s));
        queue(s, again(o));
    }
    unlock();
    return code;
}

int cuGraphDestroy(struct graph *g) {
    while (g->operations.first) {
        struct operation *o = g->operations.first;
        g->operations.first = o->next;
        discard(o);
    }
    free(g);
    return OK;
}

int cuGraphExecDestroy(struct graph *executable) {
    return cuGraphDestroy(executable);
}

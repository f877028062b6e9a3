/* The threads of a launch, each a fiber with a stack of its own: blocks, warps and lanes run in shuffled order.

A fiber runs until its kernel ends or asks for something that a warp does together. Then the lanes that the instruction names
must all come to that very instruction, with the same lanes in mind; else the launch is a fault. */
#include "emulator.h"

#include <stdlib.h>
#include <sys/mman.h>

#define STACK (256 << 10)
#define PAGE 4096
#define MOST_WARPS 64            /* that run at the same time */
#define STEPS_A_MEETING 64       /* a meeting takes as long as so many jumps back */
#define MOST_MEETINGS 4          /* meetings of a warp before another one may go on */

enum state { ABSENT, READY, WAITING, ENDED };

struct fiber {
    struct lane lane; /* first: a lane's address is its fiber's */
    void *stack_pointer;
    char *stack;
    enum state state;
    struct meeting *meeting;
};

uint64_t poison = 0xa5a5a5a5a5a5a5a5ull;
static uint64_t random_state = 88172645463325252ull, launches, meetings, most_steps = 1ull << 33; /* jumps back of a thread */
static struct fiber *fibers, *running;
static void *scheduler;
static const struct kernel *kernel;
static const unsigned char *kernel_parameters;

/* Another order of threads, and what memory and registers hold before they are written (a byte). */
void emulator_begin(uint64_t seed, unsigned char byte) {
    random_state = (seed + 1) * 0x9e3779b97f4a7c15ull | 1;
    poison = byte * 0x0101010101010101ull;
}

void emulator_limit_steps(uint64_t steps) {
    most_steps = steps;
}

void emulator_counts(uint64_t *of_launches, uint64_t *of_meetings) {
    *of_launches = launches, *of_meetings = meetings;
}

const struct kernel *running_kernel(void) {
    return kernel;
}

uint64_t random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dull >> 16;
}

/* --------------------------------------------------------------------------------------------------------- fibers */

/* Save the registers that a function keeps, and the stack pointer in *from; go on where `to` was saved. */
void switch_stack(void **from, void *to);
__asm__(
    ".globl switch_stack\n"
    "switch_stack:\n"
    "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
    "    mov %rsp, (%rdi)\n"
    "    mov %rsi, %rsp\n"
    "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
    "    ret\n");

static void fiber_main(void) {
    struct fiber *self = running;
    kernel->run(&self->lane, kernel_parameters);
    self->state = ENDED;
    switch_stack(&self->stack_pointer, scheduler);
    abort(); /* no one goes on with it */
}

static void prepare(struct fiber *f) {
    void **top = (void **)(f->stack + STACK);
    *--top = NULL; /* where fiber_main would return to */
    *--top = (void *)fiber_main;
    for (int i = 0; i < 6; i++) *--top = NULL;
    f->stack_pointer = top;
    f->state = READY;
}

static void make_fibers(void) {
    fibers = calloc(MOST_WARPS * WARP, sizeof *fibers);
    for (int i = 0; i < MOST_WARPS * WARP; i++) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (stack == MAP_FAILED) fault("no memory for the stacks of threads");
        mprotect(stack, PAGE, PROT_NONE);
        fibers[i].stack = stack;
    }
}

static void run_until_it_waits(struct fiber *f) {
    running = f;
    switch_stack(&scheduler, f->stack_pointer);
    running = NULL;
}

/* ------------------------------------------------------------------------------------------------------- meetings */

void emulator_meet(struct lane *lane, struct meeting *meeting) {
    struct fiber *self = (struct fiber *)lane;
    if (!(meeting->mask >> lane->number & 1)) emulator_fault(lane, meeting->line, "a lane that is not in its mask %#x", meeting->mask);
    if (lane->steps <= STEPS_A_MEETING) emulator_fault(lane, meeting->line, "the thread goes on without end");
    lane->steps -= STEPS_A_MEETING;
    self->meeting = meeting;
    self->state = WAITING;
    switch_stack(&self->stack_pointer, scheduler);
}

static void vote(struct fiber *warp, uint32_t mask, enum collective kind) {
    uint32_t yes = 0;
    for (int i = 0; i < WARP; i++)
        if (mask >> i & 1 && warp[i].meeting->value) yes |= 1u << i;
    uint64_t all = yes == mask, none = yes == 0;
    uint64_t answer = kind == VOTE_BALLOT ? yes : kind == VOTE_ANY ? !none : kind == VOTE_ALL ? all : all || none;
    for (int i = 0; i < WARP; i++)
        if (mask >> i & 1) warp[i].meeting->result = answer;
}

static void match(struct fiber *warp, uint32_t mask) {
    for (int i = 0; i < WARP; i++) {
        if (!(mask >> i & 1)) continue;
        warp[i].meeting->result = 0;
        for (int j = 0; j < WARP; j++)
            if (mask >> j & 1 && warp[j].meeting->value == warp[i].meeting->value) warp[i].meeting->result |= 1u << j;
    }
}

/* The PTX ISA's own words: clamp has the end of a segment in bits 0 to 4 and the segments' mask in bits 8 to 12. */
static void shuffle(struct fiber *warp, uint32_t mask, enum collective kind) {
    for (int i = 0; i < WARP; i++) {
        if (!(mask >> i & 1)) continue;
        struct meeting *m = warp[i].meeting;
        int by = m->lane & 31, end = m->clamp & 31, segments = m->clamp >> 8 & 31;
        int last = (i & segments) | (end & ~segments), first = i & segments, source = i, in_range = 0;
        switch (kind) {
        case SHUFFLE_UP: source = i - by, in_range = source >= last; break;
        case SHUFFLE_DOWN: source = i + by, in_range = source <= last; break;
        case SHUFFLE_BFLY: source = i ^ by, in_range = source <= last; break;
        default: source = first | (by & ~segments), in_range = source <= last;
        }
        if (!in_range) source = i;
        if (!(mask >> source & 1))
            emulator_fault(&warp[i].lane, m->line, "lane %d reads lane %d, which is not in the mask %#x", i, source, mask);
        m->result = warp[source].meeting->value;
        m->in_range = in_range;
    }
}

static int all_there(const struct fiber *warp, const struct meeting *m) {
    for (int i = 0; i < WARP; i++) {
        if (!(m->mask >> i & 1)) continue;
        if (warp[i].state != WAITING || warp[i].meeting->place != m->place || warp[i].meeting->mask != m->mask) return 0;
    }
    return 1;
}

_Noreturn static void parted(struct fiber *warp) {
    int first = 0;
    while (warp[first].state != WAITING) first++;
    const struct meeting *m = warp[first].meeting;
    for (int i = 0; i < WARP; i++) {
        if (!(m->mask >> i & 1)) continue;
        if (warp[i].state == ABSENT) emulator_fault(&warp[first].lane, m->line, "lane %d waits for lane %d, which there is not", first, i);
        if (warp[i].state == ENDED) emulator_fault(&warp[first].lane, m->line, "lane %d waits for lane %d, which has ended", first, i);
        if (warp[i].meeting->place != m->place)
            emulator_fault(&warp[first].lane, m->line, "lane %d waits for lane %d, which waits in line %u", first, i,
                           warp[i].meeting->line);
        if (warp[i].meeting->mask != m->mask)
            emulator_fault(&warp[first].lane, m->line, "lane %d waits with mask %#x, lane %d with %#x", first, m->mask, i,
                           warp[i].meeting->mask);
    }
    fault("a warp stands still");
}

/* All lanes wait or have ended: let those meet that can. */
static void meet(struct fiber *warp) {
    uint32_t met = 0;
    for (int i = 0; i < WARP; i++) {
        if (warp[i].state != WAITING || met >> i & 1 || !all_there(warp, warp[i].meeting)) continue;
        uint32_t mask = warp[i].meeting->mask;
        enum collective kind = warp[i].meeting->kind;
        if (kind <= VOTE_UNI) vote(warp, mask, kind);
        else if (kind == MATCH_ANY) match(warp, mask);
        else shuffle(warp, mask, kind);
        met |= mask;
        meetings++;
    }
    if (!met) parted(warp);
    for (int i = 0; i < WARP; i++)
        if (met >> i & 1) warp[i].state = READY;
}

/* ------------------------------------------------------------------------------------------------------ scheduling */

/* Let every lane of a warp go on until it waits; whether the warp lives on. */
static int run_warp(struct fiber *warp) {
    uint32_t from = random_word() % WARP, stride = random_word() % WARP | 1;
    for (uint32_t k = 0; k < WARP; k++) {
        struct fiber *f = &warp[(from + k * stride) % WARP];
        if (f->state == READY) run_until_it_waits(f);
    }
    int waiting = 0;
    for (int i = 0; i < WARP; i++) waiting += warp[i].state == WAITING;
    if (waiting) meet(warp);
    return waiting > 0;
}

static void begin_warp(struct fiber *warp, uint32_t block, uint32_t first, uint32_t blocks, uint32_t threads) {
    for (uint32_t i = 0; i < WARP; i++) {
        warp[i].state = ABSENT;
        if (first + i >= threads) continue;
        uint32_t thread = block * threads + first + i;
        warp[i].lane = (struct lane){first + i, block, threads, blocks, i, thread, poison, most_steps};
        prepare(&warp[i]);
    }
}

/* Run warps 0 to `count` - 1 to their end, any of them at any time. */
static void run_warps(uint32_t count) {
    uint32_t alive[MOST_WARPS];
    for (uint32_t i = 0; i < count; i++) alive[i] = i;
    while (count) {
        uint32_t pick = random_word() % count, turns = 1 + random_word() % MOST_MEETINGS;
        int lives = 1;
        while (turns-- && lives) lives = run_warp(fibers + alive[pick] * WARP);
        if (!lives) alive[pick] = alive[--count];
    }
}

void run_grid(const struct kernel *of, uint32_t blocks, uint32_t threads, const unsigned char *parameters) {
    if (!fibers) make_fibers();
    kernel = of, kernel_parameters = parameters;
    memory_begin_launch(blocks * threads);
    uint32_t *order = malloc(blocks * sizeof *order), warps = (threads + WARP - 1) / WARP, at_once = MOST_WARPS / warps;
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t j = random_word() % (i + 1);
        order[i] = order[j], order[j] = i;
    }
    for (uint32_t begin = 0; begin < blocks; begin += at_once) {
        uint32_t end = begin + at_once < blocks ? begin + at_once : blocks;
        for (uint32_t b = begin; b < end; b++)
            for (uint32_t w = 0; w < warps; w++)
                begin_warp(fibers + ((b - begin) * warps + w) * WARP, order[b], w * WARP, blocks, threads);
        run_warps((end - begin) * warps);
    }
    free(order);
    kernel = NULL;
    launches++;
}

/* What the C of a translated kernel is compiled against: its lane, the emulator's calls, and the arithmetic of PTX. */
#ifndef LANE_H
#define LANE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* One thread of a launch. `poison` is what registers hold before they are written; `steps` is what is left of jumps back. */
struct lane {
    uint32_t tid, ctaid, ntid, nctaid; /* %tid.x and so on */
    uint32_t number;                   /* in its warp */
    uint32_t thread;                   /* in the launch */
    uint64_t poison;
    uint64_t steps;
};

/* A variable of the module: a table that numba made of a Python tuple or array. */
struct variable {
    const char *name;
    void *address;
    uint64_t size;
    int writable;
};

enum collective { VOTE_BALLOT, VOTE_ANY, VOTE_ALL, VOTE_UNI, MATCH_ANY, SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY };

/* A lane's part in an instruction that a warp executes together. `place` tells the instruction from all others. */
struct meeting {
    uint32_t place, line;
    enum collective kind;
    uint32_t mask;
    uint64_t value;
    uint32_t lane, clamp; /* of a shuffle */
    uint64_t result;
    uint32_t in_range; /* of a shuffle, whether its source lane is in range */
};

/* Each says with its line in the PTX, and ends the process, what is not allowed. */
void emulator_load(struct lane *, uint64_t address, uint32_t size, uint32_t line);
void emulator_store(struct lane *, uint64_t address, uint32_t size, uint32_t line);
void emulator_atomic(struct lane *, uint64_t address, uint32_t size, uint32_t line);
void emulator_meet(struct lane *, struct meeting *);
_Noreturn void emulator_fault(struct lane *, uint32_t line, const char *format, ...);

/* Memory of the lane alone: the bytes [begin, end) of its frame. */
static inline void check_local(struct lane *lane, uint64_t address, uint32_t size, uint64_t begin, uint64_t end, uint32_t line) {
    if (address < begin || address + size > end)
        emulator_fault(lane, line, "%u bytes at byte %lld of a local memory of %llu", size, (long long)(address - begin),
                       (unsigned long long)(end - begin));
    if (address % size)
        emulator_fault(lane, line, "%u bytes at byte %lld of local memory are misaligned", size, (long long)(address - begin));
}

static inline void check_end(struct lane *lane, uint32_t line) {
    if (--lane->steps == 0) emulator_fault(lane, line, "the thread goes on without end");
}

/* ------------------------------------------------------------------------------------------------------ arithmetic */

static inline double double_of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static inline uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

static inline uint64_t reversed(uint64_t word, int width) {
    uint64_t result = 0;
    for (int i = 0; i < width; i++) result |= (word >> i & 1) << (width - 1 - i);
    return result;
}

/* bfi: the low `length` bits of a, put into b at `position`. */
static inline uint64_t bits_inserted(uint64_t a, uint64_t b, uint32_t position, uint32_t length, uint32_t width) {
    position &= 255, length &= 255;
    if (length == 0 || position >= width) return b;
    uint64_t mask = (length >= 64 ? ~0ull : (1ull << length) - 1) << position;
    return (b & ~mask) | (a << position & mask);
}

/* bfe: `length` bits of a from `position` on; above them zeros, or copies of the last one (bit width - 1 at most). */
static inline uint64_t bits_extracted(uint64_t a, uint32_t position, uint32_t length, uint32_t width, int is_signed) {
    position &= 255, length &= 255;
    uint32_t last = length == 0 ? 0 : position + length - 1;
    if (last > width - 1) last = width - 1;
    uint64_t sign = is_signed && length > 0 ? a >> last & 1 : 0, result = 0;
    for (uint32_t i = 0; i < width; i++) {
        uint64_t bit = i < length && position + i < width ? a >> (position + i) & 1 : sign;
        result |= bit << i;
    }
    return result;
}

/* prmt without a mode: four bytes of the eight of a and b; a selector's high bit repeats the byte's sign. */
static inline uint32_t permuted(uint32_t a, uint32_t b, uint32_t selectors) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t selector = selectors >> (4 * i) & 15, byte = bytes >> (8 * (selector & 7)) & 255;
        if (selector & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << (8 * i);
    }
    return result;
}

/* min and max of doubles: the number where one is NaN, and -0 below +0. */
static inline double smaller(double a, double b) {
    if (a != a) return b != b ? double_of_bits(0x7fffffffffffffffull) : b;
    if (b != b) return a;
    if (a == b) return signbit(a) ? a : b;
    return a < b ? a : b;
}

static inline double larger(double a, double b) {
    if (a != a) return b != b ? double_of_bits(0x7fffffffffffffffull) : b;
    if (b != b) return a;
    if (a == b) return signbit(a) ? b : a;
    return a > b ? a : b;
}

/* A double without fraction as an integer of `width` bits: limits where it is too large, the sign bit for NaN. */
static inline uint64_t integer_of(double value, int width, int is_signed) {
    if (value != value) return 1ull << (width - 1);
    if (is_signed) {
        double end = ldexp(1, width - 1);
        if (value >= end) return (1ull << (width - 1)) - 1;
        if (value < -end) return 1ull << (width - 1);
        return (uint64_t)(int64_t)value;
    }
    if (value <= 0) return 0;
    if (value >= ldexp(1, width)) return width == 64 ? ~0ull : (1ull << width) - 1;
    return (uint64_t)value;
}

#endif

// Uniform Othello playouts as scalar C++ for the CPU at hand: the peer of the benchmark.
//
// The algorithms and the draws are those of gpumcts/games/othello.py and gpumcts/rng.py, so that the outcomes are the same
// bit by bit; what differs is that nothing here is written for lanes.
//
//     g++ -O3 -march=native -std=c++17 -shared -fPIC -o othello.so othello.cpp

#include <cstdint>
#ifdef __BMI2__
#include <immintrin.h>
#endif

typedef uint64_t u64;

static const u64 INNER = 0x7E7E7E7E7E7E7E7E, PLY_STEP = 0x9E3779B97F4A7C15;
static const int64_t SCORE_UNIT = 1 << 20;

static inline u64 mix(u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static inline u64 child_key(u64 key, u64 number) {
    return mix(mix(key ^ 0xA0761D6478BD642F) + (number + 1) * 0xD1342543DE82EF95);
}

template <int S> static inline u64 shift(u64 x) { return S > 0 ? x << (S > 0 ? S : 0) : x >> (S > 0 ? 0 : -S); }

// Squares beyond the runs of mask that start next to own (Kogge-Stone).
template <int S> static inline u64 reach(u64 own, u64 mask) {
    u64 f = mask & shift<S>(own);
    f |= mask & shift<S>(f);
    const u64 pairs = mask & shift<S>(mask);
    f |= pairs & shift<2 * S>(f);
    f |= pairs & shift<2 * S>(f);
    return shift<S>(f);
}

static inline u64 legal(u64 own, u64 opp) {
    const u64 inner = opp & INNER;
    u64 moves = inner + ((own << 1) & inner);
    moves |= reach<-1>(own, inner) | reach<8>(own, opp) | reach<-8>(own, opp);
    moves |= reach<7>(own, inner) | reach<-7>(own, inner) | reach<9>(own, inner) | reach<-9>(own, inner);
    return moves & ~(own | opp);
}

static inline u64 flips_up(int square, u64 own, u64 mask, u64 ray) {
    const u64 line = ray << square, stop = line & ~mask, closing = stop & (0 - stop) & own;
    return line & (closing - (closing != 0));
}

static inline u64 flips_down(int square, u64 own, u64 mask, u64 ray) {
    const u64 line = ray >> (63 - square), stop = (line & ~mask) | 1;
    return line & (0 - ((0x8000000000000000 >> __builtin_clzll(stop)) & line & own));
}

static inline u64 flips(int square, u64 own, u64 opp) {
    const u64 inner = opp & INNER;
    u64 f = flips_up(square, own, inner, 0x00000000000000FE) | flips_down(square, own, inner, 0x7F00000000000000);
    f |= flips_up(square, own, opp, 0x0101010101010100) | flips_down(square, own, opp, 0x0080808080808080);
    f |= flips_up(square, own, inner, 0x0002040810204080) | flips_down(square, own, inner, 0x0102040810204000);
    f |= flips_up(square, own, inner, 0x8040201008040200) | flips_down(square, own, inner, 0x0040201008040201);
    return f & opp;
}

static inline int nth_set_bit(u64 mask, int n) {
#ifdef __BMI2__
    return __builtin_ctzll(_pdep_u64(1ull << n, mask));
#else
    while (n--) mask &= mask - 1;
    return __builtin_ctzll(mask);
#endif
}

// states: three words each (own, opp, turn); tally: four columns each (scores, wins, draws, plies), for the first player.
extern "C" void playouts(const u64 *states, const u64 *keys, int64_t leaves, int64_t count, int64_t *tally) {
    for (int64_t leaf = 0; leaf < leaves; leaf++) {
        for (int64_t number = 0; number < count; number++) {
            u64 own = states[3 * leaf], opp = states[3 * leaf + 1], stream = child_key(keys[leaf], number);
            bool second = states[3 * leaf + 2] & 1;
            int64_t plies = 0;
            for (;; plies++, stream += PLY_STEP, second = !second) {
                const u64 moves = legal(own, opp);
                if (moves == 0 && legal(opp, own) == 0) break;
                u64 mine = own;
                if (moves) {
                    const u64 n = ((mix(stream) >> 32) * __builtin_popcountll(moves)) >> 32;
                    const int square = nth_set_bit(moves, n);
                    const u64 turned = flips(square, own, opp);
                    mine |= turned | (1ull << square);
                    opp &= ~turned;
                }
                own = opp;
                opp = mine;
            }
            const int lead = __builtin_popcountll(own) - __builtin_popcountll(opp);
            const int64_t sign = ((lead > 0) - (lead < 0)) * (second ? -1 : 1);
            tally[4 * leaf] += sign * SCORE_UNIT;
            tally[4 * leaf + 1] += sign > 0;
            tally[4 * leaf + 2] += sign == 0;
            tally[4 * leaf + 3] += plies;
        }
    }
}

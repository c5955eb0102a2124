/* The hash of a tuple of integers, as CPython has computed it since 3.8 (Objects/tupleobject.c: xxHash without its tail;
 * Objects/longobject.c: integers modulo 2^61 - 1). Both engines then count the same hashes in the same tables, and a search may
 * change from one to the other. */
#ifndef BPOR_TUPLE_HASH_H
#define BPOR_TUPLE_HASH_H
#include <stdint.h>

struct tuple_hash {
    uint64_t sum;
    uint64_t length;
};

static const uint64_t tuple_prime_1 = 11400714785074694791u;
static const uint64_t tuple_prime_2 = 14029467366897019727u;
static const uint64_t tuple_prime_5 = 2870177450012600261u;
static const uint64_t integer_modulus = (1ull << 61) - 1;

static inline uint64_t modulo(uint64_t value)
{
    value = (value & integer_modulus) + (value >> 61);
    return value >= integer_modulus ? value - integer_modulus : value;
}

static inline struct tuple_hash tuple_begin(void)
{
    return (struct tuple_hash){tuple_prime_5, 0};
}

static inline void tuple_lane(struct tuple_hash *hash, uint64_t lane)
{
    hash->sum += lane * tuple_prime_2;
    hash->sum = hash->sum << 31 | hash->sum >> 33;
    hash->sum *= tuple_prime_1;
    hash->length++;
}

static inline void tuple_add(struct tuple_hash *hash, uint64_t value)
{
    tuple_lane(hash, modulo(value));
}

static inline void tuple_add_signed(struct tuple_hash *hash, int64_t value)
{
    int64_t lane = value >= 0 ? (int64_t)modulo((uint64_t)value) : -(int64_t)modulo(-(uint64_t)value);
    tuple_lane(hash, (uint64_t)(lane == -1 ? -2 : lane));
}

/* A sum of 64-bit numbers, which Python does not cut to 64 bits. */
static inline void tuple_add_wide(struct tuple_hash *hash, unsigned __int128 value)
{
    uint64_t low = modulo((uint64_t)value), high = modulo((uint64_t)(value >> 64));
    /* 2^64 = 8 modulo 2^61 - 1; the high part is a count of carries, hence small */
    tuple_lane(hash, modulo(low + modulo(high * 8)));
}

static inline int64_t tuple_end(const struct tuple_hash *hash)
{
    uint64_t sum = hash->sum + (hash->length ^ (tuple_prime_5 ^ 3527539u));
    return sum == UINT64_MAX ? 1546275796 : (int64_t)sum;
}
#endif

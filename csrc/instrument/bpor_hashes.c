/* The functions of libstdc++ that hash tables call. They read the bytes of a key, and they read or set the size at which the
 * table has to grow. The linker sends these calls here (--wrap). */
#include "instrument/told.h"
#include <stdbool.h>
#include <stddef.h>

#define HASH "_ZSt11_Hash_bytesPKvmm"
#define NEED_REHASH "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm"
#define NEXT_BUCKETS "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm"

struct policy {
    float most_load;
    size_t next_resize;
};
struct answer {
    bool grows;
    size_t buckets;
};

size_t hash_bytes(const void *key, size_t bytes, size_t seed) WRAPS(HASH);
struct answer need_rehash(struct policy *policy, size_t buckets, size_t elements, size_t more) WRAPS(NEED_REHASH);
size_t next_buckets(struct policy *policy, size_t buckets) WRAPS(NEXT_BUCKETS);
size_t real_hash_bytes(const void *key, size_t bytes, size_t seed) REAL(HASH);
struct answer real_need_rehash(struct policy *policy, size_t buckets, size_t elements, size_t more) REAL(NEED_REHASH);
size_t real_next_buckets(struct policy *policy, size_t buckets) REAL(NEXT_BUCKETS);

size_t hash_bytes(const void *key, size_t bytes, size_t seed)
{
    ENTER();
    __tsan_read_range((void *)key, bytes);
    size_t hash = real_hash_bytes(key, bytes, seed);
    LEAVE();
    return hash;
}

/* It is written only where the table is full, so threads that only ask do not meet. */
struct answer need_rehash(struct policy *policy, size_t buckets, size_t elements, size_t more)
{
    ENTER();
    if (elements + more > READ(policy->next_resize))
        __tsan_write8(&policy->next_resize);
    struct answer answer = real_need_rehash(policy, buckets, elements, more);
    LEAVE();
    return answer;
}

size_t next_buckets(struct policy *policy, size_t buckets)
{
    ENTER();
    __tsan_write8(&policy->next_resize);
    size_t found = real_next_buckets(policy, buckets);
    LEAVE();
    return found;
}

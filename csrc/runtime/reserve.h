/* Memory of our own, outside the target's allocator: reserved before main, touched when used. */
#ifndef BPOR_RESERVE_H
#define BPOR_RESERVE_H
#include <stddef.h>

void *bpor_reserve(size_t bytes);
#endif

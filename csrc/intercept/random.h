/* The random streams of threads. */
#ifndef BPOR_RANDOM_H
#define BPOR_RANDOM_H
#include <stddef.h>

void bpor_random_fill(void *buffer, size_t bytes);
#endif

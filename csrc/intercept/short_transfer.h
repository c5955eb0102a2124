/* Reads and writes that move one byte only, where the system may let them (--faults short-read). */
#ifndef BPOR_SHORT_TRANSFER_H
#define BPOR_SHORT_TRANSFER_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* How many bytes the call moves at most: `count`, or 1. */
size_t bpor_short_read(int fd, size_t count, const void *site);
size_t bpor_short_write(int fd, size_t count, const void *site);
/* Vectors: true, and the call moves the byte at `first`. */
bool bpor_short_vector(bool reads, int fd, const struct iovec *vector, int count, void **first, const void *site);
#endif

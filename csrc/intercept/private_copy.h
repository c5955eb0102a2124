/* A call that reads a file, a stream or a pipe into memory that others look at does two things at two times: it takes the bytes,
 * and it puts them where they belong. Each is an operation, and each has to happen when it is chosen: in between the bytes lie in
 * a copy on the caller's stack, which is a part of the state. A write does the same the other way round. */
#ifndef BPOR_PRIVATE_COPY_H
#define BPOR_PRIVATE_COPY_H
#include "intercept/told.h"

enum { MOST_COPIED = 1024 }; /* stacks of threads may be small; of larger ones the verdict says that they are one step */

struct private_copy {
    bool used;
    char bytes[MOST_COPIED];
};

/* Where to read to. */
void *bpor_copy_room(struct private_copy *copy, void *buffer, size_t bytes, const void *site);
/* The bytes have been read, as many as `answer` says; its answer to the program. */
ssize_t bpor_copy_deliver(struct private_copy *copy, void *buffer, ssize_t answer, const void *site);
/* What to write from. */
const void *bpor_copy_taken(struct private_copy *copy, const void *buffer, size_t bytes, const void *site);
#endif

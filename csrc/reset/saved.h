/* Bytes saved in a file in memory. Shared memory is in no private page that rollback would restore, so it is saved apart. The
 * kernel copies it for us, because a copy by the kernel causes no fault where the memory is gone (a mapped file that was
 * truncated). */
#ifndef BPOR_SAVED_H
#define BPOR_SAVED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAVED_LIMIT_MIB = 64 };

struct saved {
    long at;
    size_t bytes;
};

/* A file of our own: one that was inherited is another process's. */
bool bpor_saved_begin(void);
bool bpor_saved_has_room(size_t bytes);
/* As much as there is: the pages of a mapping behind the end of its file are not. */
struct saved bpor_saved_memory(uintptr_t start, size_t bytes);
bool bpor_saved_memory_back(uintptr_t start, const struct saved *saved);
/* False: it cannot be read to its end. */
bool bpor_saved_file(int fd, size_t bytes, struct saved *saved);
/* Writes only if something differs. */
bool bpor_saved_file_back(int fd, const struct saved *saved);
#endif

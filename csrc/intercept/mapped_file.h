/* A file that is mapped is memory, too: a call that reads or writes it accesses that memory. */
#ifndef BPOR_MAPPED_FILE_H
#define BPOR_MAPPED_FILE_H
#include "process/process_state.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { HERE = -1 }; /* where the descriptor stands */

void bpor_mapped_files_reserve(void);
/* Shared memory of a file begins, or ends. */
void bpor_file_mapped(uintptr_t start, size_t bytes, int fd, off_t offset);
void bpor_file_unmapped(uintptr_t start, size_t bytes);
/* Told right before the call that reads (LOOKS) or writes (CHANGES) so many bytes. */
void bpor_mapped_file_use(int fd, off_t at, size_t bytes, unsigned access, const void *site);
#endif

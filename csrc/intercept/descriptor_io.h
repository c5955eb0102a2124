/* Transfers through channels, shared by the files that intercept reads, writes, sends and receives. */
#ifndef BPOR_INTERCEPT_DESCRIPTOR_IO_H
#define BPOR_INTERCEPT_DESCRIPTOR_IO_H
#include "model/descriptor_io.h"

enum { TRANSFER_SILENT = 1, TRANSFER_TRIES = 2 }; /* no SIGPIPE; does not wait */

/* Is this call ours? Refuses, by the call's name, to read what comes from outside. */
bool bpor_reads_channel(const char *call, int fd);
bool bpor_writes_channel(int fd);
/* The step; -1 and errno as libc answers. */
long bpor_transfer(enum operation_kind kind, struct transfer *transfer, unsigned flags, const void *site);
/* A descriptor call that cannot block: close, dup, fcntl. */
long bpor_descriptor_step(enum operation_kind kind, struct channel *second, bool write, struct transfer *transfer,
                          const void *site);
/* All of a buffer, in pieces that do not block, each a step. */
long bpor_write_all(int fd, const char *bytes, size_t count, const void *site);
#endif

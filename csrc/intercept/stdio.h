/* Streams that are shared by threads. */
#ifndef BPOR_STDIO_H
#define BPOR_STDIO_H
#include <stdbool.h>
#include <stdio.h>

/* Are stdio calls steps? Only where the program can make one wait: it locks streams itself or opens one on a descriptor. A fact
 * about the program's files, so it is the same in every execution. */
bool bpor_streams_visible(void);
/* Before a stdio call: waits until it will not block in libc. */
void bpor_stream_use(FILE *stream, const void *site);
#endif

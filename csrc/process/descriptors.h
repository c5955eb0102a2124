/* Our own descriptors, which are kept out of the target's reach, and small files of /proc, read without libc. */
#ifndef BPOR_DESCRIPTORS_H
#define BPOR_DESCRIPTORS_H
#include <stdbool.h>
#include <stdint.h>

bool bpor_descriptor_is_ours(int fd);
/* One of ours gets a high number: the program's own get those that they would have without us. Takes an error, too. */
int bpor_descriptor_raise(long fd);
/* Every descriptor that is open. */
void bpor_descriptors_each(void (*visit)(int fd));
/* As much as there is room for, with a zero behind it: its length, or an error. */
long bpor_descriptors_read(const char *path, char *text, unsigned long room);
/* How many threads run in this process. */
uint64_t bpor_descriptors_tasks(void);
#endif

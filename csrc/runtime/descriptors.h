/* Files at the fork point: ours (kept out of the target's reach) and the target's (each execution gets offsets of its own). */
#ifndef BPOR_DESCRIPTORS_H
#define BPOR_DESCRIPTORS_H
#include <stdbool.h>
#include <stdint.h>

bool bpor_descriptor_is_ours(int fd);
void bpor_descriptors_remember(void);
void bpor_descriptors_reopen(void);
/* How many threads run in this process. */
uint64_t bpor_descriptors_tasks(void);
#endif

/* Which words differ between states that are a given number of steps apart (plan.compare_every). */
#ifndef BPOR_DIFFERENCES_H
#define BPOR_DIFFERENCES_H
#include <stdint.h>

void bpor_differences_reserve(void);
/* At a scheduling state: if it is one to compare, tells each word that has changed since the last one that was. */
void bpor_differences_tell(void (*tell)(uintptr_t address, uint64_t now, uint64_t before, unsigned thread));
#endif

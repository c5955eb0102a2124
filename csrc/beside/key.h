/* The trees carry a key of memory protection, where the processor has keys and one is left: while the program runs, a write of
 * any of its threads to a tree faults. */
#ifndef BPOR_BESIDE_KEY_H
#define BPOR_BESIDE_KEY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once for each process. Without a key the others do nothing. */
void key_take(void *trees, size_t bytes);
bool key_is_there(void);
/* The program runs from here on; the program does not run. */
void key_lock(void);
void key_unlock(void);
/* For a look at the trees while the program runs: a handler of signals may not even read what carries a key. Returns what
 * key_look_end needs. */
uint32_t key_look_begin(void);
void key_look_end(uint32_t rights);
#endif

/* Optional marks for a test program. Without bpor-native they are nothing: no library to link, no cost but a null check. */
#ifndef BPOR_NATIVE_H
#define BPOR_NATIVE_H
#include <stdlib.h>
#ifdef __cplusplus
extern "C" {
#endif

extern void bpor_native_ready(void) __attribute__((weak));
extern void bpor_native_yield(void) __attribute__((weak));
extern unsigned bpor_native_choose(unsigned count) __attribute__((weak));
extern void bpor_native_assume(void) __attribute__((weak));
extern void bpor_native_container(const void *container, unsigned long entry, unsigned access) __attribute__((weak));

/* Macros, so that a report names the line of the test. */

/* "My set-up is done": with --fork-at ready, every execution begins here. */
#define bpor_ready() (bpor_native_ready ? bpor_native_ready() : (void)0)

/* "I am waiting for somebody else": a yield, for loops that wait in a way the tool cannot see. */
#define bpor_yield() (bpor_native_yield ? bpor_native_yield() : (void)0)

/* "Any number below `count`", as unsigned: an input of the test, of which every value is explored, as every schedule is. Without
 * bpor-native: 0. */
#define bpor_choose(count) (bpor_native_choose ? bpor_native_choose(count) : 0u)

/* "Go on only if this holds": an execution in which it does not says nothing, and is counted apart. Without bpor-native the
 * program ends, with the status 77 by which test runners know a test that was skipped. */
#define bpor_assume(holds) ((holds) ? (void)0 : bpor_native_assume ? bpor_native_assume() : _Exit(77))

/* "What I do next reads, or changes, this entry of a container", or all of it. Accesses of different entries depend on each other
 * as little as accesses of different variables; one of the whole depends on every change. For containers whose inside is trusted
 * to be atomic (--trust independent:...), right before the call or first thing in it: what is not marked is not explored then. An
 * entry is any number, a key's hash too: two that are equal by chance cost executions, and nothing else. */
#define bpor_entry_read(container, entry) bpor_mark_container_(container, entry, 0u)
#define bpor_entry_write(container, entry) bpor_mark_container_(container, entry, 1u)
#define bpor_container_read(container) bpor_mark_container_(container, 0, 2u)
#define bpor_container_write(container) bpor_mark_container_(container, 0, 3u)
#define bpor_mark_container_(container, entry, access)                                                                           \
    (bpor_native_container ? bpor_native_container(container, (unsigned long)(entry), access) : (void)0)

#ifdef __cplusplus
}
#endif
#endif

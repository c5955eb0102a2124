/* Faults of the one thread that runs. A first write to a page that is protected, or not there, is one, and the kernel counts
 * them: an execution without any has written no new page, and need not be searched for them. */
#ifndef BPOR_FAULTS_H
#define BPOR_FAULTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void bpor_faults_reserve(void);
/* `probe` is such a page: are writes to it counted here? */
void bpor_faults_try(volatile uint8_t *probe);
/* An execution begins: nothing of ours runs between this and its first instruction. */
void bpor_faults_begin(void);
/* The same in another process than the last one, whose faults are counted from another number on. */
void bpor_faults_begin_elsewhere(void);
/* New memory of the execution, gone with it: its pages are made now, so that touching them is no fault. */
void bpor_faults_expect(uintptr_t start, size_t bytes);
/* May a new page have been written since the execution began, or since this was last asked? */
bool bpor_faults_happened(void);
#endif

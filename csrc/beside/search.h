/* The search beside the program: runs execution after execution by itself, as struct bpor_order says, and answers in batches. */
#ifndef BPOR_SEARCH_H
#define BPOR_SEARCH_H
#include "protocol/protocol.h"
#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/* Finds the mapping that the controller left behind its shared one, if it did. */
void bpor_search_attach(struct bpor_search *search);
/* True while executions belong to a search here: their events go to its log. */
bool bpor_search_active(void);
struct bpor_event *bpor_search_log(void);
/* The number of the tree whose execution runs. */
unsigned bpor_search_turn(void);
/* An event of the log is complete, and about to be counted. */
void bpor_search_seal_event(const struct bpor_event *event);
/* A checksum of whole words that the program might write over. */
uint64_t bpor_bytes_seal(const void *data, size_t bytes);
/* An order has come. */
void bpor_search_begin(void);
/* Makes the plan of the next execution. False: the answer is ready. */
bool bpor_search_next(void);
/* The plan that was made is run a second time: what the first left in the log is forgotten. */
void bpor_search_again(void);
/* Does a state look like one whose future is known, or which this execution has passed? `last`: who ran last, if leaving it
 * costs; else BPOR_NO_THREAD. Only a hint: the tree decides. */
bool bpor_search_seems_known(uint64_t low, uint64_t high, unsigned last, uint32_t spent);
/* Of a signal that has come: the engine wanted to write to a page of a tree that was frozen (frozen.h), and may now. */
bool bpor_search_thaws(const siginfo_t *info);
/* Likewise: the program has tried to write to a tree, and was stopped. */
bool bpor_search_was_hit(const siginfo_t *info, const ucontext_t *context);
/* True once after each answer, which still has to be sent. */
bool bpor_search_answered(void);
/* Writes a tree into the log, as words. */
void bpor_search_save(unsigned tree);
/* The execution is over; shared->end and the log say how. */
void bpor_search_learn(void);
#endif

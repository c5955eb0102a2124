/* Controlled calls that C11's functions share with their pthread namesakes; `site` is the program's call. */
#ifndef BPOR_STEPS_H
#define BPOR_STEPS_H
#include "runtime/runtime.h"
#include <pthread.h>

int bpor_mutex_step(enum operation_kind kind, pthread_mutex_t *mutex, const void *attributes, const void *site);
int bpor_mutex_timed_step(pthread_mutex_t *mutex, int clock, const struct timespec *deadline, const void *site);
int bpor_condition_step(enum operation_kind kind, pthread_cond_t *condition, const void *attributes, const void *site);
/* `deadline`: virtual time, or NULL. */
int bpor_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const uint64_t *deadline, const void *site);
int bpor_condition_timed_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int clock, const struct timespec *absolute,
                              const void *site);
#endif

/* What a thread runs when it ends: C++ thread_local destructors and pthread keys' destructors. */
#ifndef BPOR_DESTRUCTORS_H
#define BPOR_DESTRUCTORS_H
#include <pthread.h>

/* Returns nonzero if the runtime keeps the destructor itself (under control), 0 if libc should. */
int bpor_destructor_add(void (*destructor)(void *), void *object);
void bpor_key_created(pthread_key_t key, void (*destructor)(void *));
void bpor_key_deleted(pthread_key_t key);
#endif

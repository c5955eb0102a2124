/* What threads are made with where nothing is said about it. */
#ifndef BPOR_THREAD_DEFAULTS_H
#define BPOR_THREAD_DEFAULTS_H
#include <stdbool.h>

/* The program has said it, by pthread_setattr_default_np: libc knows, and the carriers have to be told. */
extern bool bpor_thread_defaults_given;
#endif

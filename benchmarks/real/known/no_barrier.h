/* As on a system without barriers of its own: libuv has another one for those. */
#define _GNU_SOURCE
#include <pthread.h>
#undef PTHREAD_BARRIER_SERIAL_THREAD

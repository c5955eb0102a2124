/* std::thread: libstdc++ takes the thread's number out of the object when the thread is joined or let go. */
#include "intercept/told.h"
#include "runtime/real.h"
#include <pthread.h>

/* It does so behind a wait: the number is put back for as long as the write is told, so that others can come before that. */
#define TAKES_THE_NUMBER(symbol)                                                                                                 \
    INTERCEPT void bpor_##symbol(pthread_t *number) __asm__(#symbol);                                                            \
    void bpor_##symbol(pthread_t *number)                                                                                        \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        bpor_told_read(number, sizeof *number, site);                                                                            \
        pthread_t before = *number;                                                                                              \
        ((__typeof__(bpor_##symbol) *)bpor_real(REAL_##symbol))(number);                                                         \
        pthread_t behind = *number;                                                                                              \
        *number = before;                                                                                                        \
        bpor_told_store(number, &behind, sizeof behind, site);                                                                   \
    }

TAKES_THE_NUMBER(_ZNSt6thread4joinEv)
TAKES_THE_NUMBER(_ZNSt6thread6detachEv)

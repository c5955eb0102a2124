// The indexer of Flanagan and Godefroid (POPL 2005): threads insert by compare-exchange into a hash table; up to eleven never collide.
// The twelfth meets the first in three slots, in the same order: eight orders, two of which take no preemption, four one, two two. The
// thirteenth meets the second likewise, and preemptions of the two pairs add up.
// compiler: bpor
// with THREADS=11, bound none: pass, traces 1
// with THREADS=12, bound none: pass, traces 8
// with THREADS=13, bound none: pass, traces 64, slow
// with THREADS=11, bound preemption:0..3: pass, traces 1
// with THREADS=12, bound preemption:0: pass, traces 2
// with THREADS=12, bound preemption:1: pass, traces 6
// with THREADS=12, bound preemption:2..3: pass, traces 8
// with THREADS=13, bound preemption:0: pass, traces 4
// with THREADS=13, bound preemption:1: pass, traces 20
// with THREADS=13, bound preemption:2: pass, traces 44, slow
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 2
#endif
enum { SIZE = 128, MESSAGES = 4, TRIES = 4 };

static atomic_int table[SIZE];

static void *insert(void *argument)
{
    int thread = (int)(intptr_t)argument;
    for (int message = 1; message <= MESSAGES; message++) {
        int word = message * 11 + thread, place = word * 7 % SIZE;
        for (int tries = 0; tries < TRIES; tries++) {
            int empty = 0;
            if (atomic_compare_exchange_strong(&table[place], &empty, word))
                break;
            place = (place + 1) % SIZE;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, insert, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

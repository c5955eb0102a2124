/* The indexer of Flanagan and Godefroid (POPL 2005): THREADS threads insert into a hash table; the twelfth is the first to
 * collide. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SIZE = 128, MESSAGES = 4, TRIES = 4 };
static atomic_int table[SIZE];

static void *insert(void *argument)
{
    int number = (int)(intptr_t)argument;
    for (int message = 1; message <= MESSAGES; message++) {
        int word = message * 11 + number, place = word * 7 % SIZE;
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

// Two threads look through plain memory for something that nobody writes: each goes round with nothing changed.
// compiler: bpor
// options: --max-steps=400
// bound fair:2: livelock
#include <pthread.h>

static int place[100], found;

static void *look(void *unused)
{
    while (!found)
        for (int i = 0; i < 100; i++) {
            __asm__ volatile("" : : : "memory"); /* else the compiler looks once */
            if (place[i])
                found = i;
        }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, look, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

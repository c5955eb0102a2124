/* A program that is its arguments: one script per thread, one letter per operation, so that random programs need no compiler.
 *
 * a b  lock, unlock a mutex (A and B unlock)   t  trylock a, unlocked again if it was taken   p w q  post, wait, trywait of a semaphore
 * c d s z  wait, timed wait, signal, broadcast on a condition, with mutex a held   y  yield   r R u  rdlock, wrlock, unlock a rwlock
 * l  lock a by trying, with yields between   m  the same for the semaphore   v  timed wait for the semaphore
 * x  count under no lock, an assertion that the count is small   e  end the process */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int posts;

static void timed_wait(void)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    pthread_cond_timedwait(&condition, &a, &soon);
}

static void timed_semaphore(void)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    sem_timedwait(&semaphore, &soon);
}

static void perform(char operation)
{
    switch (operation) {
    case 'a': pthread_mutex_lock(&a); break;
    case 'A': pthread_mutex_unlock(&a); break;
    case 'b': pthread_mutex_lock(&b); break;
    case 'B': pthread_mutex_unlock(&b); break;
    case 't': if (pthread_mutex_trylock(&a) == 0) pthread_mutex_unlock(&a); break;
    case 'l': while (pthread_mutex_trylock(&a)) sched_yield(); break;
    case 'm': while (sem_trywait(&semaphore)) sched_yield(); break;
    case 'v': timed_semaphore(); break;
    case 'p': posts++; sem_post(&semaphore); break;
    case 'w': sem_wait(&semaphore); break;
    case 'q': sem_trywait(&semaphore); break;
    case 'c': pthread_cond_wait(&condition, &a); break;
    case 'd': timed_wait(); break;
    case 's': pthread_cond_signal(&condition); break;
    case 'z': pthread_cond_broadcast(&condition); break;
    case 'y': sched_yield(); break;
    case 'r': pthread_rwlock_rdlock(&lock); break;
    case 'R': pthread_rwlock_wrlock(&lock); break;
    case 'u': pthread_rwlock_unlock(&lock); break;
    case 'x': assert(posts < 2); break;
    case 'e': exit(0);
    }
}

static void *run(void *script)
{
    for (const char *at = script; *at; at++)
        perform(*at);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[8];
    sem_init(&semaphore, 0, 0);
    for (int i = 1; i < argc; i++)
        pthread_create(&thread[i], NULL, run, argv[i]);
    for (int i = 1; i < argc; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

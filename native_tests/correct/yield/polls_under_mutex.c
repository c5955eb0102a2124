// Two threads poll a flag under a mutex and never yield: endless schedules, and every fair one ends.
// options: --match=memory
// bound none: pass
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int now = flag;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *poll(void *unused)
{
    while (!get())
        ;
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, poll, NULL);
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

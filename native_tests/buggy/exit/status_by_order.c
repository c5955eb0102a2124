// The exit status depends on which thread came first.
// expect: exit
// bound preemption:0: exit
// bound none: exit, traces 2
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int last;

static void *sign(void *name)
{
    pthread_mutex_lock(&mutex);
    last = *(int *)name;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    int name[2] = {3, 0};
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, sign, &name[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return last;
}

// A program without threads: one execution, nothing to interleave, and the verdict says so.
// says: nothing to interleave
// bound none: pass, traces 1
// bound preemption:2: pass, traces 1
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}

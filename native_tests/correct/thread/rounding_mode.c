// A thread inherits how its creator rounds and changes only its own way of rounding.
// flags: -frounding-math -Wl,--no-as-needed -lm
// bound none: pass, traces 2
#include <assert.h>
#include <fenv.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const int own[] = {FE_DOWNWARD, FE_TOWARDZERO};

static void *change(void *mode)
{
    assert(fegetround() == FE_UPWARD);
    assert(fesetround(*(const int *)mode) == 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    assert(fegetround() == *(const int *)mode);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    assert(fesetround(FE_UPWARD) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, change, (void *)&own[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(fegetround() == FE_UPWARD);
    return 0;
}

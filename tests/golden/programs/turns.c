// Two threads take turns: an execution has many switches, so its schedule is long.
#include <assert.h>
#include <pthread.h>

enum { TURNS = 20 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long turn;
static int sum;

static void *take_turns(void *argument)
{
    long me = (long)argument;
    for (int taken = 0; taken < TURNS;) {
        pthread_mutex_lock(&lock);
        if (turn == me) {
            turn = !turn;
            sum++;
            taken++;
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, take_turns, (void *)0);
    pthread_create(&two, NULL, take_turns, (void *)1);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(sum < 2 * TURNS);
}

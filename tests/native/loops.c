/* Random programs with loops, one thread for each argument after the first. x, y, z are atomic, 0 and 1 plain variables.
 *
 * w0 W0 r0: plain writes of 1 and of 0, a plain read; p0: a relaxed atomic read of the same.
 *
 * sx zx: release stores of 1 and of 0; Sx Zx: relaxed ones; lx Lx: an acquire load, a relaxed one; ax: add 1, acquire and release.
 *
 * cx: compare-exchange 0 to 1, which acquires whether it fails or not; Cx: only if it does not.
 *
 * m_ u_ y_: lock, unlock, yield; t_: trylock, on success it is unlocked at once.
 *
 * ?N: if the last answer was 0, leave N words out; &N *N: back by N words, for ever or twice at most.
 *
 * The first argument is a number: the sum at the end that is wrong. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static int plain[2];
static atomic_int word[3];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int act(const char *op, int answer)
{
    int which = op[1] == 'z' ? 2 : op[1] == '1' || op[1] == 'y', zero = 0;
    switch (op[0]) {
    case 'w':
        plain[which] = 1;
        break;
    case 'W':
        plain[which] = 0;
        break;
    case 'r':
        return plain[which];
    case 's':
        atomic_store_explicit(&word[which], 1, memory_order_release);
        break;
    case 'z':
        atomic_store_explicit(&word[which], 0, memory_order_release);
        break;
    case 'S':
        atomic_store_explicit(&word[which], 1, memory_order_relaxed);
        break;
    case 'Z':
        atomic_store_explicit(&word[which], 0, memory_order_relaxed);
        break;
    case 'l':
        return atomic_load_explicit(&word[which], memory_order_acquire);
    case 'L':
        return atomic_load_explicit(&word[which], memory_order_relaxed);
    case 'c':
        return atomic_compare_exchange_strong_explicit(&word[which], &zero, 1, memory_order_acq_rel, memory_order_acquire);
    case 'C':
        return atomic_compare_exchange_strong_explicit(&word[which], &zero, 1, memory_order_acq_rel, memory_order_relaxed);
    case 'a':
        return atomic_fetch_add_explicit(&word[which], 1, memory_order_acq_rel);
    case 'p': /* an atomic object that is not always accessed so */
        return atomic_load_explicit((atomic_int *)&plain[which], memory_order_relaxed);
    case 'm':
        pthread_mutex_lock(&mutex);
        break;
    case 'u':
        pthread_mutex_unlock(&mutex);
        break;
    case 't':
        if (pthread_mutex_trylock(&mutex) != 0)
            return 0;
        pthread_mutex_unlock(&mutex);
        return 1;
    case 'y':
        sched_yield();
        break;
    }
    return answer;
}

static void *run(void *text)
{
    const char *begin = text;
    int answer = 0, backs = 0;
    for (const char *at = begin; *at; at += 3) {
        int jump = 3 * (at[1] - '0');
        if (at[0] == '?' && answer == 0)
            at += jump;
        else if (at[0] == '&' && answer == 0)
            at -= jump + 3;
        else if (at[0] == '*' && answer == 0 && backs++ < 2)
            at -= jump + 3;
        else
            answer = act(at, answer);
        if (at[0] == '?')
            answer = 0; /* nobody looks at it again */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[4];
    for (int i = 2; i < argc; i++)
        pthread_create(&thread[i - 2], NULL, run, argv[i]);
    for (int i = 2; i < argc; i++)
        pthread_join(thread[i - 2], NULL);
    assert(word[0] + 2 * word[1] != atoi(argv[1]));
    return 0;
}

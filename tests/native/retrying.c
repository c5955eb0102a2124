/* Threads that look at two atomic variables until they find what they need, each in the ways that its argument names. The
 * argument after those of the threads is an outcome that must not be; without it the outcome is printed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 4 };
struct cell {
    struct cell *below;
    int number;
};
static atomic_int x, y;
static _Atomic(struct cell *) top;
static struct cell cells[MOST];
static int result[MOST], told[MOST];
static __thread int total[2];
static const char *ways[MOST];

static void add(atomic_int *place, int by)
{
    int old = atomic_load(place);
    while (!atomic_compare_exchange_strong(place, &old, old + by))
        continue;
}

static int add_looking_anew(atomic_int *place)
{
    int old;
    do
        old = atomic_load(place);
    while (!atomic_compare_exchange_weak(place, &old, old + 1));
    return old;
}

/* Clang tells the increment as a write alone. */
static int add_totalling(atomic_int *place)
{
    int old;
    do {
        old = atomic_load(place);
        total[old & 1]++;
    } while (!atomic_compare_exchange_strong(place, &old, old + 1));
    return old;
}

/* What failed leaves something behind: no round may be left out. */
static int add_counting(atomic_int *place)
{
    int rounds = 0, old = atomic_load(place);
    while (!atomic_compare_exchange_strong(place, &old, old + 1))
        rounds++;
    return rounds;
}

static int add_telling(atomic_int *place, int *where)
{
    int old = atomic_load(place);
    while (!atomic_compare_exchange_strong(place, &old, old + 1))
        *where += 10 + old;
    return old;
}

static void add_marking(atomic_int *place, int *where)
{
    int old = atomic_load(place);
    while (!atomic_compare_exchange_strong(place, &old, old + 1))
        *where = 3;
}

static void add_tolling(atomic_int *place, atomic_int *other)
{
    int old = atomic_load(place);
    while (!atomic_compare_exchange_strong(place, &old, old + 1))
        atomic_fetch_add(other, 5);
}

static int first_seen(atomic_int *place)
{
    int old = atomic_load(place), first = old;
    while (!atomic_compare_exchange_strong(place, &old, old + 1))
        continue;
    return first;
}

/* What was looked at first is treated otherwise than what the failure brought. */
static int odd_at_first(atomic_int *place)
{
    int old = atomic_load(place), kind = old == 1 ? 7 : 0;
    while (!atomic_compare_exchange_strong(place, &old, old + 1))
        continue;
    return kind;
}

static int below_two(atomic_int *place)
{
    int old = atomic_load(place);
    while (old < 2 && !atomic_compare_exchange_strong(place, &old, old + 1))
        continue;
    return old;
}

static int snapshot(void)
{
    int one, other;
    do {
        one = atomic_load(&x);
        other = atomic_load(&y);
    } while (one != atomic_load(&x));
    return one * 10 + other;
}

static int polls(void)
{
    int seen = 0;
    for (int i = 0; i < 3 && !(seen = atomic_load(&y)); i++)
        continue;
    return seen;
}

static void push(struct cell *mine)
{
    struct cell *old = atomic_load(&top);
    do
        mine->below = old;
    while (!atomic_compare_exchange_weak(&top, &old, mine));
}

static int pop(void)
{
    struct cell *old = atomic_load(&top);
    while (old && !atomic_compare_exchange_strong(&top, &old, old->below))
        continue;
    return old ? old->number : 0;
}

static int go(char way, int self)
{
    switch (way) {
    case 'a':
        return add(&x, 1), 0;
    case 'b':
        return add(&y, 2), 0;
    case 'c':
        return add_looking_anew(&x);
    case 'd':
        return add_counting(&x);
    case 'e':
        return add_telling(&x, &told[self]);
    case 'f':
        return add_tolling(&x, &y), 0;
    case 'g':
        return first_seen(&x);
    case 'h':
        return odd_at_first(&x);
    case 'i':
        return below_two(&x);
    case 'j':
        return snapshot();
    case 'k':
        return polls();
    case 'l':
        return push(&cells[self]), 0;
    case 'm':
        return pop();
    case 'n':
        return atomic_load(&y) + add_looking_anew(&y);
    case 'p':
        return add_marking(&x, &told[self]), 0;
    case 'q':
        return add_totalling(&x) + 3 * total[0] + 5 * total[1];
    default:
        return atomic_exchange(&x, 0);
    }
}

static void *run(void *argument)
{
    int self = (int)((const char **)argument - ways);
    for (const char *way = ways[self]; *way; way++)
        result[self] = result[self] * 20 + go(*way, self);
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t thread[MOST];
    int threads = 0;
    char outcome[200];
    for (int i = 0; i < MOST; i++)
        cells[i].number = i + 1;
    for (; threads + 1 < count && strchr(arguments[threads + 1], '-') == NULL; threads++)
        ways[threads] = arguments[threads + 1];
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, run, &ways[i]);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    int length = snprintf(outcome, sizeof outcome, "-%d,%d,%d", x, y, top ? top->number : 0);
    for (int i = 0; i < threads; i++)
        length += snprintf(outcome + length, sizeof outcome - (size_t)length, ",%d,%d", result[i], told[i]);
    if (threads + 1 < count)
        assert(strcmp(arguments[threads + 1], outcome) != 0);
    else
        puts(outcome);
    return 0;
}

/* Runs a program of atomic accesses that its argument describes: bpor.simulate.notation, as far as atomics and locks go.
 *
 *     atomics 'W x.rlx 1; R y.acq | W y.rel 1; fence.sc; CAS x.ar.rlx 0 2'
 *
 * Prints what the reads of each thread gave and what the variables hold at the end. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, OPERATIONS = 32 };

struct operation {
    char kind[8];
    int only_if_last;
    int variable;
    memory_order order;
    memory_order failure;
    int values;
    int value[2];
};

static struct {
    int operations;
    struct operation operation[OPERATIONS];
    int reads;
    int read[OPERATIONS];
} thread[THREADS];
static int threads;
static atomic_int memory[26];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static memory_order order_named(const char *name)
{
    return !name                      ? memory_order_seq_cst
           : !strcmp(name, "rlx") ? memory_order_relaxed
           : !strcmp(name, "acq") ? memory_order_acquire
           : !strcmp(name, "rel") ? memory_order_release
           : !strcmp(name, "ar")  ? memory_order_acq_rel
                                  : memory_order_seq_cst;
}

static void read_operation(char *text, struct operation *operation)
{
    char *place, *word = strtok_r(text, " ", &place);
    if (!strcmp(word, "if")) {
        operation->only_if_last = 1;
        word = strtok_r(NULL, " ", &place);
    }
    char *dots, *name = strtok_r(word, ".", &dots);
    snprintf(operation->kind, sizeof operation->kind, "%s", name);
    operation->order = order_named(strtok_r(NULL, ".", &dots));
    if ((word = strtok_r(NULL, " ", &place)) == NULL)
        return;
    operation->variable = strtok_r(word, ".", &dots)[0] - 'a';
    operation->order = order_named(strtok_r(NULL, ".", &dots));
    operation->failure = order_named(strtok_r(NULL, ".", &dots));
    while ((word = strtok_r(NULL, " ", &place)) != NULL)
        operation->value[operation->values++] = atoi(word);
}

static void read_program(char *text)
{
    char *bars, *semicolons;
    for (char *body = strtok_r(text, "|", &bars); body; body = strtok_r(NULL, "|", &bars), threads++)
        for (char *one = strtok_r(body, ";", &semicolons); one; one = strtok_r(NULL, ";", &semicolons))
            read_operation(one, &thread[threads].operation[thread[threads].operations++]);
}

/* Whether it read something: what. */
static int perform(const struct operation *operation, int *seen)
{
    atomic_int *place = &memory[operation->variable];
    int value = operation->value[0];
    if (!strcmp(operation->kind, "R"))
        *seen = atomic_load_explicit(place, operation->order);
    else if (!strcmp(operation->kind, "RMW"))
        *seen = atomic_fetch_add_explicit(place, 1, operation->order);
    else if (!strcmp(operation->kind, "SWAP"))
        *seen = atomic_exchange_explicit(place, value, operation->order);
    else if (!strcmp(operation->kind, "CAS"))
        *seen = value, atomic_compare_exchange_strong_explicit(place, seen, operation->value[1], operation->order, operation->failure);
    else if (!strcmp(operation->kind, "W"))
        return atomic_store_explicit(place, value, operation->order), 0;
    else if (!strcmp(operation->kind, "fence"))
        return atomic_thread_fence(operation->order), 0;
    else
        return (!strcmp(operation->kind, "lock") ? pthread_mutex_lock : pthread_mutex_unlock)(&mutex), 0;
    return 1;
}

/* One operation inside the call of the one before: as in a program of their own, each has its own place in the code. */
static void run_from(int number, int i, int last)
{
    if (i == thread[number].operations)
        return;
    const struct operation *operation = &thread[number].operation[i];
    if ((!operation->only_if_last || last) && perform(operation, &last))
        thread[number].read[thread[number].reads++] = last;
    run_from(number, i + 1, last);
    __asm__ volatile(""); /* no tail call */
}

static void *run(void *argument)
{
    run_from((int)(long)argument, 0, 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t handle[THREADS];
    if (argc != 2)
        return 2;
    read_program(argv[1]);
    for (long i = 0; i < threads; i++)
        pthread_create(&handle[i], NULL, run, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(handle[i], NULL);
    for (int i = 0; i < threads; i++, printf("|"))
        for (int k = 0; k < thread[i].reads; k++)
            printf("%d ", thread[i].read[k]);
    for (int i = 0; i < 26; i++)
        if (atomic_load_explicit(&memory[i], memory_order_relaxed))
            printf("%c=%d ", 'a' + i, atomic_load_explicit(&memory[i], memory_order_relaxed));
    printf("\n");
    return 0;
}

// Whatever an execution did to masks and alternate stacks, and wherever it ended, the next one finds them as they were.
// bound none: pass, traces 44
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char stack[1 << 16];
static int first = -1;

static void end_here(int number)
{
    sigset_t mask;
    assert(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, number) && sigismember(&mask, SIGTERM));
    exit(0);
}

static void end_in_handler(void)
{
    struct sigaction action = {.sa_handler = end_here};
    sigfillset(&action.sa_mask);
    assert(sigaction(SIGUSR1, &action, NULL) == 0);
    raise(SIGUSR1);
}

static void block_behind_libc(void)
{
    unsigned long set = 1ul << (SIGUSR2 - 1);
    assert(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, sizeof set) == 0);
    exit(0);
}

static void choose_stack(void)
{
    stack_t chosen = {.ss_sp = stack, .ss_size = sizeof stack};
    assert(sigaltstack(&chosen, NULL) == 0);
    exit(0);
}

static void *arrive(void *number)
{
    static void (*const act[])(void) = {end_in_handler, block_behind_libc, choose_stack};
    int self = (int)(long)number;
    pthread_mutex_lock(&mutex);
    int is_first = first < 0;
    if (is_first)
        first = self;
    pthread_mutex_unlock(&mutex);
    if (is_first)
        act[self]();
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    struct sigaction action;
    stack_t alternate;
    sigset_t mask;
    assert(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && sigisemptyset(&mask));
    assert(sigaltstack(NULL, &alternate) == 0 && alternate.ss_flags == SS_DISABLE);
    assert(sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    for (long i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, arrive, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

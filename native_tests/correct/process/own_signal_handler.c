// The program catches its own fault on its own alternate stack and goes on: its handlers are chained, not lost.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf recovery;
static volatile sig_atomic_t caught;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    assert(signal == SIGSEGV && info->si_addr == (void *)16);
    caught = 1;
    siglongjmp(recovery, 1);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}, old;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK}, stored;
    pthread_t thread[2];
    assert(sigaltstack(&stack, NULL) == 0);
    assert(sigaltstack(NULL, &old) == 0 && old.ss_sp == stack.ss_sp);
    assert(sigaction(SIGSEGV, &action, NULL) == 0);
    assert(sigaction(SIGSEGV, NULL, &stored) == 0 && stored.sa_sigaction == on_fault);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    if (sigsetjmp(recovery, 1) == 0)
        *(volatile int *)16 = 1;
    assert(caught);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    free(stack.ss_sp);
    return 0;
}

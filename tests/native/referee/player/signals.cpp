/* Signals that a thread sends to itself: handlers, masks, what waits behind them, alternate stacks, faults that are survived. */
#include "player.h"
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static thread_local volatile int caught;
static thread_local volatile bool on_alternate;
static thread_local char *alternate;
static thread_local sigjmp_buf back;
enum { ALTERNATE_BYTES = 32768 };

static void count(int number)
{
    caught = caught * 10 + number % 10;
}

static void count_more(int number, siginfo_t *info, void *)
{
    char here;
    caught = caught * 10 + number % 7 + (info->si_code == SI_TKILL);
    on_alternate = alternate && &here >= alternate && &here < alternate + ALTERNATE_BYTES;
}

static void escape(int)
{
    siglongjmp(back, 1);
}

static void handle(int number, void (*handler)(int), int flags = 0)
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    MUST(sigaction(number, &action, nullptr) == 0);
}

static uint64_t raised(unsigned parameter)
{
    int number = parameter % 2 ? SIGUSR1 : SIGUSR2;
    caught = 0;
    handle(number, count);
    raise(number);
    pthread_kill(pthread_self(), number);
    return caught;
}

/* Who set it last decides. */
static uint64_t whose_handler(unsigned parameter)
{
    struct sigaction old, action = {};
    if (parameter % 3 == 0) {
        action.sa_sigaction = count_more;
        action.sa_flags = SA_SIGINFO;
    } else {
        action.sa_handler = parameter % 3 == 1 ? count : SIG_IGN;
    }
    MUST(sigaction(SIGHUP, &action, &old) == 0);
    caught = 0;
    raise(SIGHUP);
    return caught * 8 + (old.sa_flags & SA_SIGINFO) + (old.sa_handler == SIG_IGN) * 2 + (old.sa_handler == SIG_DFL);
}

static uint64_t held_back(unsigned parameter)
{
    sigset_t block, old, pending;
    int number = parameter % 2 ? SIGUSR1 : SIGRTMIN + 2;
    sigemptyset(&block);
    sigaddset(&block, number);
    handle(number, count);
    caught = 0;
    MUST(pthread_sigmask(SIG_BLOCK, &block, &old) == 0);
    raise(number), raise(number);
    uint64_t value = caught;
    sigpending(&pending);
    value = mixed(value, sigismember(&pending, number));
    MUST(pthread_sigmask(SIG_SETMASK, &old, nullptr) == 0);
    return mixed(value, caught);
}

/* A mask that stays: each thread has its own, and a new one its creator's. */
static uint64_t own_mask(unsigned parameter)
{
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGWINCH), sigaddset(&set, SIGURG);
    MUST(pthread_sigmask(parameter % 2 ? SIG_BLOCK : SIG_UNBLOCK, &set, &old) == 0);
    return sigismember(&old, SIGWINCH) * 2 + sigismember(&old, SIGUSR1);
}

static uint64_t on_other_stack(unsigned)
{
    stack_t own = {}, old;
    alternate = new char[ALTERNATE_BYTES];
    own.ss_sp = alternate;
    own.ss_size = ALTERNATE_BYTES;
    MUST(sigaltstack(&own, &old) == 0);
    struct sigaction action = {};
    action.sa_sigaction = count_more;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    MUST(sigaction(SIGUSR2, &action, nullptr) == 0);
    caught = 0, on_alternate = false;
    raise(SIGUSR2);
    uint64_t value = caught * 2 + on_alternate;
    MUST(sigaltstack(&old, nullptr) == 0);
    delete[] alternate;
    alternate = nullptr;
    return value;
}

static uint64_t survived(unsigned parameter)
{
    int number = parameter % 2 ? SIGSEGV : SIGFPE;
    struct sigaction action = {}, old;
    action.sa_handler = escape;
    MUST(sigaction(number, &action, &old) == 0);
    uint64_t value = 0;
    if (sigsetjmp(back, 1) == 0) {
        volatile int zero = 0;
        if (number == SIGSEGV)
            *reinterpret_cast<volatile int *>(16) = 1;
        else
            value = 5 / zero;
        value = 1;
    } else {
        value = 2 + number;
    }
    MUST(sigaction(number, &old, nullptr) == 0);
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    return mixed(value, sigismember(&mask, number));
}

static uint64_t jumped_out(unsigned parameter)
{
    handle(SIGUSR1, escape, SA_NODEFER);
    volatile unsigned rounds = 0;
    if (sigsetjmp(back, 1) < 5 && rounds < 1 + parameter % 4) {
        rounds = rounds + 1;
        raise(SIGUSR1);
    }
    return rounds;
}

const Activity of_signals[] = {
    {"raised", raised, SIGNALS},
    {"whose_handler", whose_handler, SIGNALS},
    {"held_back", held_back, SIGNALS},
    {"own_mask", own_mask, NOTHING},
    {"on_other_stack", on_other_stack, SIGNALS},
    {"survived", survived, SIGNALS},
    {"jumped_out", jumped_out, SIGNALS},
    {nullptr, nullptr, NOTHING},
};

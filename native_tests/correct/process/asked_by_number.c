// What the system says of the process and its threads by their numbers and handles is what it says of the caller.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void ask(pid_t who)
{
    cpu_set_t processors;
    struct sched_param parameters;
    struct timespec time;
    struct rlimit limit;
    assert(sched_getaffinity(who, sizeof processors, &processors) == 0);
    assert(sched_setaffinity(who, sizeof processors, &processors) == 0 || errno == EINVAL);
    assert(syscall(SYS_sched_getaffinity, who, sizeof processors, &processors) > 0);
    assert(sched_getscheduler(who) == SCHED_OTHER && sched_getparam(who, &parameters) == 0);
    assert(sched_setscheduler(who, SCHED_OTHER, &parameters) == 0 && sched_setparam(who, &parameters) == 0);
    assert(sched_rr_get_interval(who, &time) == 0);
    assert(getpriority(PRIO_PROCESS, (id_t)who) == getpriority(PRIO_PROCESS, 0));
    assert(setpriority(PRIO_PROCESS, (id_t)who, getpriority(PRIO_PROCESS, 0)) == 0);
    assert(getpgid(who) == getpgid(0) && getsid(who) == getsid(0) && prlimit(who, RLIMIT_CORE, NULL, &limit) == 0);
    assert(kill(who, 0) == 0 && kill(who, 99) == -1 && errno == EINVAL);
}

static void *work(void *unused)
{
    ask(gettid());
    ask(getpid());
    assert(tgkill(getpid(), gettid(), 0) == 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    clockid_t clock;
    struct timespec time;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, work, NULL);
    assert(pthread_kill(thread, 0) == 0 && pthread_kill(thread, 99) == EINVAL);
    assert(pthread_getcpuclockid(thread, &clock) == 0 && clock_gettime(clock, &time) == 0);
    assert(clock_getcpuclockid(getpid(), &clock) == 0 && clock_gettime(clock, &time) == 0);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    ask(gettid());
    return 0;
}

/* Two threads make the call that the argument names, on the same memory: libc's accesses race as the program's own would. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <iconv.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static _Alignas(wchar_t) char shared[4096] = "12 text";
static wchar_t *const wide = (wchar_t *)(void *)shared;
static char *end, *line;
static size_t room;
static int numbers[8], missing;
static struct stat facts;
static struct stat64 facts64;
static struct statx more_facts;
static char source[] = "x";
static struct iovec part = {shared, 1}, source_part = {source, 1};
static int unconnected;
static struct tm broken;
static struct timespec moment;
static struct timeval of_day;
static time_t second;
static pthread_t thread;
static pthread_attr_t detached;
static pthread_key_t key;
static sem_t semaphore;
static fpos_t place;
static fd_set descriptors;
static struct rlimit limit;
static void *links[2], *element[2];
static iconv_t conversion;
static double real;
static sigset_t mask;
static struct rlimit64 limit64;
static siginfo_t ended;
static struct sigaction handled;
static struct itimerspec left;
static const char *wanted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int smaller(const void *one, const void *other)
{
    (void)one, (void)other;
    return 0;
}

/* Pending for the thread. */
static sigset_t one_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    return set;
}

static int list_into(int (*print)(char *, const char *, va_list), const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = print(shared, format, arguments);
    va_end(arguments);
    return result;
}

static int sized(char *to, const char *format, va_list arguments)
{
    return vsnprintf(to, 10, format, arguments);
}

static int unsized(char *to, const char *format, va_list arguments)
{
    return vsprintf(to, format, arguments);
}

static int scanned(char *from, const char *format, va_list arguments)
{
    return vsscanf(from, format, arguments);
}

static void *nothing(void *unused)
{
    return unused;
}

static int joined(void)
{
    pthread_t own;
    return pthread_create(&own, NULL, nothing, NULL) || pthread_join(own, (void **)&end);
}

static int converted(void)
{
    char *from = source, *to = shared;
    size_t left = 1, space = 1;
    return (int)iconv(conversion, &from, &left, &to, &space);
}

static int watched(void)
{
    int set = epoll_create1(0), ready = eventfd(1, 0);
    return epoll_ctl(set, EPOLL_CTL_ADD, ready, &(struct epoll_event){.events = EPOLLIN}) == 0 ? set : -1;
}

/* The answer is used, or a call that only looks would be left out. */
#define CALL(name, ...)                                                                                                          \
    if (strcmp(wanted, #name) == 0) {                                                                                            \
        volatile int answer = !(__VA_ARGS__);                                                                                    \
        __atomic_store_n(&missing, answer & 0, __ATOMIC_RELAXED);                                                                \
    }

static void *returned(void *argument)
{
    return argument;
}

static int returned_number(void *argument)
{
    return argument != NULL;
}

static pthread_t made(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, returned, NULL) == 0 ? thread : 0;
}

static int tried(pthread_t thread)
{
    for (int tries = 0; tries < 2; tries++, sched_yield())
        if (pthread_tryjoin_np(thread, (void **)&line) == 0)
            return 0;
    return pthread_join(thread, NULL);
}

static thrd_t made_of_c11(void)
{
    thrd_t thread;
    return thrd_create(&thread, returned_number, NULL) == thrd_success ? thread : 0;
}

/* What a thread returned is written where the caller says. */
static void joins(void)
{
    CALL(pthread_join, pthread_join(made(), (void **)&line))
    CALL(pthread_tryjoin_np, tried(made()))
    CALL(pthread_timedjoin_np, pthread_timedjoin_np(made(), (void **)&line, NULL))
    CALL(pthread_clockjoin_np, pthread_clockjoin_np(made(), (void **)&line, CLOCK_MONOTONIC, NULL))
    CALL(thrd_join, thrd_join(made_of_c11(), numbers))
}

/* For a child that each thread has made before it had company. */
static void waits(void)
{
    CALL(wait, wait(numbers))
    CALL(waitpid, waitpid(-1, numbers, 0))
    CALL(wait4, wait4(-1, numbers, 0, NULL))
    CALL(waitid, waitid(P_ALL, 0, &ended, WEXITED))
}

/* Each writes what all of them write: two of them race. */
static void writes(int fd, FILE *stream)
{
    CALL(strcat, (shared[0] = 0, strcat(shared, "x")))
    CALL(strncat, (shared[0] = 0, strncat(shared, "x", 1)))
    CALL(strcpy, strcpy(shared, "x"))
    CALL(strncpy, strncpy(shared, "x", 2))
    CALL(stpcpy, stpcpy(shared, "x"))
    CALL(memset, memset(shared, 0, 4))
    CALL(wmemset, wmemset(wide, 0, 4))
    CALL(wmemcpy, wmemcpy(wide, L"text", 4))
    CALL(wmemmove, wmemmove(wide, L"text", 4))
    CALL(memcpy, memcpy(shared, "text", 4))
    CALL(memmove, memmove(shared, "text", 4))
    CALL(mempcpy, mempcpy(shared, "text", 4))
    CALL(strtok_r, strtok_r(shared, " ", &end))
    CALL(strsep, strsep(&end, " "))
    CALL(sscanf, sscanf("1 word", "%*d%9s", shared))
    CALL(vsscanf, list_into(scanned, "%d", numbers))
    CALL(strtol, strtol("1", &end, 10) == 2)
    CALL(strtoul, strtoul("1", &end, 10) == 2)
    CALL(strtoll, strtoll("1", &end, 10) == 2)
    CALL(strtoull, strtoull("1", &end, 10) == 2)
    CALL(strtod, strtod("1", &end) == 2)
    CALL(strtof, strtof("1", &end) == 2)
    CALL(qsort, (qsort(numbers, 8, sizeof numbers[0], smaller), 0))
    CALL(sprintf, sprintf(shared, "%d", 1))
    CALL(snprintf, snprintf(shared, 10, "%s", "x"))
    CALL(vsprintf, list_into(unsized, "%d", 1))
    CALL(vsnprintf, list_into(sized, "%d", 1))
    CALL(read, read(fd, shared, 1))
    CALL(readv, readv(fd, &part, 1))
    CALL(pread, pread(fd, shared, 1, 0))
    CALL(pread64, pread64(fd, shared, 1, 0))
    CALL(preadv, preadv(fd, &part, 1, 0))
    CALL(preadv64, preadv64(fd, &part, 1, 0))
    CALL(fread, fread(shared, 1, 1, stream))
    CALL(fgets, fgets(shared, 10, stream))
    CALL(fread_unlocked, fread_unlocked(shared, 1, 1, stream))
    CALL(fgets_unlocked, fgets_unlocked(shared, 10, stream))
    CALL(process_vm_readv, process_vm_readv(getpid(), &part, 1, &source_part, 1, 0))
    CALL(process_vm_writev, process_vm_writev(getpid(), &source_part, 1, &part, 1, 0))
    CALL(getsockopt, getsockopt(unconnected, SOL_SOCKET, SO_TYPE, shared, &(socklen_t){sizeof(int)}))
    CALL(getline, getline(&line, &room, stream))
    CALL(getdelim, getdelim(&line, &room, 'x', stream))
    CALL(stat, stat("/", &facts))
    CALL(lstat, lstat("/", &facts))
    CALL(fstat, fstat(fd, &facts))
    CALL(fstatat, fstatat(AT_FDCWD, "/", &facts, 0))
    CALL(stat64, stat64("/", &facts64))
    CALL(lstat64, lstat64("/", &facts64))
    CALL(fstat64, fstat64(fd, &facts64))
    CALL(fstatat64, fstatat64(AT_FDCWD, "/", &facts64, 0))
    CALL(statx, statx(AT_FDCWD, "/", 0, STATX_SIZE, &more_facts))
    CALL(readlink, readlink("/proc/self/exe", shared, 10))
    CALL(readlinkat, readlinkat(AT_FDCWD, "/proc/self/exe", shared, 10))
    CALL(realpath, realpath("/", shared))
    CALL(getcwd, getcwd(shared, sizeof shared))
    CALL(time, time(&second))
    CALL(gettimeofday, gettimeofday(&of_day, NULL))
    CALL(clock_gettime, clock_gettime(CLOCK_MONOTONIC, &moment))
    CALL(timespec_get, timespec_get(&moment, TIME_UTC))
    CALL(localtime_r, localtime_r(&(time_t){1}, &broken))
    CALL(gmtime_r, gmtime_r(&(time_t){1}, &broken))
    CALL(ctime_r, ctime_r(&(time_t){1}, shared))
    CALL(asctime_r, asctime_r(&(struct tm){.tm_year = 1}, shared))
    CALL(strftime, strftime(shared, 20, "%Y", &(struct tm){.tm_year = 1}))
    CALL(pthread_create, pthread_create(&thread, &detached, nothing, NULL))
    CALL(pthread_join, joined())
    CALL(pthread_key_create, pthread_key_create(&key, NULL))
    CALL(posix_memalign, posix_memalign((void **)&line, 64, 64))
    CALL(sem_getvalue, sem_getvalue(&semaphore, numbers))
    CALL(pipe, pipe(numbers))
    CALL(socketpair, socketpair(AF_UNIX, SOCK_STREAM, 0, numbers))
    CALL(fgetpos, fgetpos(stream, &place))
    CALL(getopt, getopt(1, (char *[]){"a", NULL}, "a"))
    CALL(getrlimit, getrlimit(RLIMIT_CORE, &limit))
    CALL(tsearch, tsearch(shared, (void **)&end, smaller))
    CALL(insque, (insque(element, links), 0))
    CALL(iconv, converted())
    CALL(mbrtowc, mbrtowc(wide, "x", 1, &(mbstate_t){0}))
    CALL(rand_r, rand_r((unsigned *)numbers) == 2)
    CALL(drand48_r, drand48_r(&(struct drand48_data){0}, &real))
    CALL(sigprocmask, sigprocmask(SIG_BLOCK, NULL, &mask))
    CALL(sigpending, sigpending(&mask))
    CALL(sigaction, sigaction(SIGUSR2, NULL, &handled))
    CALL(sigwait, sigwait((sigset_t[]){one_signal()}, numbers))
    CALL(sigwaitinfo, sigwaitinfo((sigset_t[]){one_signal()}, &ended) != SIGUSR1)
    CALL(sigtimedwait, sigtimedwait((sigset_t[]){one_signal()}, &ended, &(struct timespec){0}) != SIGUSR1)
    CALL(timerfd_gettime, timerfd_gettime(timerfd_create(CLOCK_MONOTONIC, 0), &left))
    CALL(timerfd_settime, timerfd_settime(timerfd_create(CLOCK_MONOTONIC, 0), 0, &(struct itimerspec){0}, &left))
    CALL(pipe2, pipe2(numbers, 0))
    CALL(getrlimit64, getrlimit64(RLIMIT_NOFILE, &limit64))
    CALL(tss_create, tss_create((tss_t *)numbers, NULL))
    CALL(pthread_getname_np, pthread_getname_np(pthread_self(), shared, 16))
    CALL(poll, poll((struct pollfd *)(void *)shared, 1, 0))
    CALL(ppoll, ppoll((struct pollfd *)(void *)shared, 1, &(struct timespec){0}, NULL))
    CALL(select, select(1, &descriptors, NULL, NULL, &(struct timeval){0}))
    CALL(epoll_wait, epoll_wait(watched(), (struct epoll_event *)(void *)shared, 1, 0))
    joins();
    waits();
}

/* Each reads the text; the other thread writes it. */
static void reads(int fd)
{
    CALL(wcslen, wcslen(wide) == 9)
    CALL(wmemchr, wmemchr(wide, L'x', 4))
    CALL(wmemcmp, wmemcmp(wide, L"text", 4))
    CALL(memcmp, memcmp(shared, "text", 4))
    CALL(memchr, memchr(shared, 'x', 4))
    CALL(memrchr, memrchr(shared, 'x', 4))
    CALL(memmem, memmem(shared, 4, "ex", 2))
    CALL(strchrnul, strchrnul(shared, 'x'))
    CALL(strcasestr, strcasestr(shared, "ex"))
    CALL(strlen, strlen(shared) == 9)
    CALL(strnlen, strnlen(shared, 3) == 9)
    CALL(strcmp, strcmp(shared, "x"))
    CALL(strncmp, strncmp(shared, "x", 1))
    CALL(strcasecmp, strcasecmp(shared, "x"))
    CALL(strncasecmp, strncasecmp(shared, "x", 1))
    CALL(strchr, strchr(shared, 'x'))
    CALL(strrchr, strrchr(shared, 'x'))
    CALL(strstr, strstr(shared, "ex"))
    CALL(strspn, strspn(shared, "ex") == 9)
    CALL(strcspn, strcspn(shared, "ex") == 9)
    CALL(strpbrk, strpbrk(shared, "ex"))
    CALL(strdup, strdup(shared))
    CALL(strndup, strndup(shared, 2))
    CALL(atoi, atoi(shared))
    CALL(atol, atol(shared))
    CALL(atoll, atoll(shared))
    CALL(atof, atof(shared) == 9)
    CALL(open, open(shared, O_RDONLY))
    CALL(getenv, getenv(shared))
    CALL(setrlimit, setrlimit(RLIMIT_CORE, (struct rlimit *)(void *)shared))
    CALL(lfind, lfind("x", source, (size_t *)(void *)shared, 0, smaller))
    CALL(nanosleep, nanosleep((struct timespec *)(void *)shared, NULL))
    CALL(sem_timedwait, sem_timedwait(&semaphore, (struct timespec *)(void *)shared))
    CALL(write, write(fd, shared, 1))
    CALL(writev, writev(fd, &part, 1))
    CALL(pwrite, pwrite(fd, shared, 1, 0))
    CALL(pwrite64, pwrite64(fd, shared, 1, 0))
    CALL(pwritev, pwritev(fd, &part, 1, 0))
    CALL(pwritev64, pwritev64(fd, &part, 1, 0))
    CALL(fwrite, fwrite(shared, 1, 1, stdout))
    CALL(fputs, fputs(shared, stdout))
    CALL(fwrite_unlocked, fwrite_unlocked(shared, 1, 1, stdout))
    CALL(fputs_unlocked, fputs_unlocked(shared, stdout))
    CALL(setsockopt, setsockopt(unconnected, SOL_SOCKET, SO_KEEPALIVE, shared, sizeof(int)))
    CALL(puts, puts(shared))
    CALL(printf, printf("%5d %.*s%s\n", 1, 2, "abc", shared))
    CALL(fprintf, fprintf(stdout, "%s\n", shared))
    CALL(dprintf, dprintf(1, "%s\n", shared))
}

static void *work(void *second_thread)
{
    pthread_mutex_lock(&lock); /* what two streams and descriptors share is no race */
    int fd = open("/etc/passwd", O_RDONLY);
    FILE *stream = fopen("/etc/passwd", "r");
    pthread_mutex_unlock(&lock);
    if (second_thread)
        shared[0] = '1';
    else
        reads(fd);
    writes(fd, stream);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t one, two;
    missing = 1;
    wanted = argc > 1 ? argv[1] : "";
    unconnected = socket(AF_INET, SOCK_STREAM, 0);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    conversion = iconv_open("ASCII", "ASCII");
    sem_init(&semaphore, 0, 1);
    for (int i = 0; i < 2 && strncmp(wanted, "wait", 4) == 0; i++)
        if (fork() == 0)
            _exit(0);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, &lock);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return missing;
}

/* Calls every intercepted function of the descriptor, stdio, random and refused families and prints what it answered: result,
 * errno and data. Plain, with the library loaded, and under control the output must be the same. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* Names without a declaration. */
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __getdelim(char **, size_t *, int, FILE *);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
int _IO_putc(int, FILE *);
int _IO_getc(FILE *);
void _IO_flockfile(FILE *);
int _IO_ftrylockfile(FILE *);
void _IO_funlockfile(FILE *);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __vprintf_chk(int, const char *, va_list);
int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
char *__fgets_chk(char *, size_t, int, FILE *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
int fcntl64(int, int, ...);
int pthread_sigqueue(pthread_t, int, const union sigval);
#undef putc
#undef getc

int __isoc99_vfscanf(FILE *, const char *, va_list);
int __isoc99_fscanf(FILE *, const char *, ...);
int __isoc99_scanf(const char *, ...);
int __vdprintf_chk(int, int, const char *, va_list);
int __dprintf_chk(int, int, const char *, ...);

#define SHOW(call) show(#call, (errno = 0, (long)(call)))

static void show(const char *text, long result)
{
    dprintf(1, "%s = %ld, errno %d\n", text, result, errno);
}

static void check(const char *text, long holds)
{
    dprintf(1, "%s: %s\n", text, holds ? "yes" : "no");
}

static void on_signal(int number)
{
    (void)number;
}

static void descriptors(void)
{
    int ends[2], other[2];
    char text[16] = "";
    struct iovec part[2] = {{"de", 2}, {"f", 1}}, room = {text, sizeof text};
    SHOW(pipe(ends));
    SHOW(pipe2(other, O_NONBLOCK));
    SHOW(pipe2(other, -1));
    SHOW(write(ends[1], "abc", 3));
    SHOW(writev(ends[1], part, 2));
    SHOW(write(-1, "x", 1));
    SHOW(writev(-1, part, 2));
    SHOW(read(ends[0], text, 2));
    SHOW(__read_chk(ends[0], text, 1, sizeof text));
    SHOW(readv(ends[0], &room, 1));
    check("def arrived", memcmp(text, "def", 3) == 0);
    SHOW(read(-1, text, 1));
    SHOW(readv(-1, &room, 1));
    SHOW(read(other[0], text, 1));
    SHOW(dup(-1));
    check("dup", dup(ends[0]) > 0);
    SHOW(dup2(ends[0], 50));
    SHOW(dup3(ends[0], 50, 77));
    SHOW(fcntl(50, F_GETFD));
    SHOW(fcntl(50, F_SETFD, FD_CLOEXEC));
    SHOW(fcntl64(50, F_GETFD));
    SHOW(fcntl(50, F_DUPFD, 60));
    SHOW(fcntl(50, 9999));
    SHOW(ioctl(ends[0], FIONREAD, &room.iov_len));
    SHOW(ioctl(-1, FIONREAD, &room.iov_len));
    SHOW(close(50));
    SHOW(close(50));
    SHOW(close_range(60, 60, 0));
    SHOW(fcntl(60, F_GETFD));
    int yes = 1, unconnected = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t size = sizeof yes;
    SHOW(setsockopt(unconnected, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes));
    yes = 0;
    SHOW(getsockopt(unconnected, SOL_SOCKET, SO_KEEPALIVE, &yes, &size));
    SHOW(yes);
    SHOW(getsockopt(-1, SOL_SOCKET, SO_KEEPALIVE, &yes, &size));
    close(unconnected);
    closefrom(61);
    SHOW(syscall(SYS_close, -1));
    SHOW(syscall(99999));
}

static void events(void)
{
    int event = eventfd(0, EFD_NONBLOCK), loop = epoll_create(1);
    eventfd_t value = 0;
    struct epoll_event wanted = {.events = EPOLLIN}, got = {0};
    struct timespec none = {0};
    struct timeval no_time = {0};
    struct pollfd one = {.fd = event, .events = POLLIN};
    fd_set set;
    check("epoll_create1", epoll_create1(0) > 0);
    SHOW(epoll_create1(-1));
    SHOW(eventfd(0, -1));
    SHOW(eventfd_read(event, &value));
    SHOW(eventfd_write(event, 7));
    SHOW(epoll_ctl(loop, EPOLL_CTL_ADD, event, &wanted));
    SHOW(epoll_ctl(loop, EPOLL_CTL_ADD, event, &wanted));
    SHOW(epoll_wait(loop, &got, 1, 0));
    SHOW(epoll_pwait(loop, &got, 1, 0, NULL));
    SHOW(epoll_pwait2(loop, &got, 1, &none, NULL));
    SHOW(epoll_wait(-1, &got, 1, 0));
    SHOW(poll(&one, 1, 0));
    SHOW(ppoll(&one, 1, &none, NULL));
    SHOW(__poll_chk(&one, 1, 0, sizeof one));
    SHOW(__ppoll_chk(&one, 1, &none, NULL, sizeof one));
    FD_ZERO(&set);
    FD_SET(event, &set);
    SHOW(select(event + 1, &set, NULL, NULL, &no_time));
    SHOW(pselect(event + 1, &set, NULL, NULL, &none, NULL));
    SHOW(select(-1, NULL, NULL, NULL, NULL));
    SHOW(eventfd_read(event, &value));
    SHOW(value);
}

static void sockets(void)
{
    int ends[2];
    char text[16];
    struct iovec room = {text, sizeof text};
    struct msghdr message = {.msg_iov = &room, .msg_iovlen = 1};
    SHOW(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
    SHOW(socketpair(-1, 0, 0, ends));
    SHOW(send(ends[0], "1", 1, 0));
    SHOW(sendto(ends[0], "22", 2, 0, NULL, 0));
    SHOW(sendmsg(ends[0], &message, 0));
    SHOW(recv(ends[1], text, sizeof text, 0));
    SHOW(recvfrom(ends[1], text, sizeof text, 0, NULL, NULL));
    SHOW(recvmsg(ends[1], &message, 0));
    SHOW(__recv_chk(ends[1], text, 1, sizeof text, MSG_DONTWAIT));
    SHOW(recv(-1, text, 1, 0));
    SHOW(send(-1, text, 1, 0));
}

static void refused_transfers(void)
{
    int ends[2], server = socket(AF_INET, SOCK_STREAM, 0);
    char text[16];
    struct iovec room = {text, sizeof text};
    struct mmsghdr several = {.msg_hdr = {.msg_iov = &room, .msg_iovlen = 1}};
    SHOW(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
    SHOW(sendmmsg(ends[0], &several, 1, 0));
    SHOW(recvmmsg(ends[1], &several, 1, 0, NULL));
    SHOW(accept(server, NULL, NULL));
    SHOW(accept4(server, NULL, NULL, 0));
    SHOW(pipe(ends));
    SHOW(splice(-1, NULL, ends[1], NULL, 1, 0));
    SHOW(tee(-1, ends[1], 1, 0));
    SHOW(vmsplice(ends[1], &room, 1, 0));
    SHOW(sendfile(ends[1], -1, NULL, 1));
}

static int list(int (*print)(const char *, va_list), const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = print(format, arguments);
    va_end(arguments);
    return result;
}

static FILE *stream;

static int to_stream(const char *format, va_list arguments)
{
    return vfprintf(stream, format, arguments);
}

static int to_stream_checked(const char *format, va_list arguments)
{
    return __vfprintf_chk(stream, 1, format, arguments);
}

static int checked(const char *format, va_list arguments)
{
    return __vprintf_chk(1, format, arguments);
}

static int to_descriptor(const char *format, va_list arguments)
{
    return vdprintf(1, format, arguments);
}

static int to_descriptor_checked(const char *format, va_list arguments)
{
    return __vdprintf_chk(1, 1, format, arguments);
}

static int from_stream(const char *format, va_list arguments)
{
    return __isoc99_vfscanf(stream, format, arguments);
}

/* Without locks, wide, and by place. */
static void other_streams(void)
{
    char text[32] = "";
    fpos_t place;
    stream = tmpfile();
    SHOW(fputc_unlocked('a', stream));
    SHOW(putc_unlocked('b', stream));
    SHOW(fputs_unlocked("cd", stream));
    SHOW(fwrite_unlocked("ef", 1, 2, stream));
    rewind(stream);
    SHOW(fgetc_unlocked(stream));
    SHOW(fgetpos(stream, &place));
    SHOW(getc_unlocked(stream));
    SHOW(fsetpos(stream, &place));
    SHOW(fread_unlocked(text, 1, 2, stream));
    SHOW(fgets_unlocked(text, sizeof text, stream) == text);
    check("def arrived", strcmp(text, "def") == 0);
    SHOW(fgetc(stream));
    clearerr(stream);
    SHOW(feof(stream));
    SHOW(fclose(stream));
    stream = tmpfile();
    SHOW(fputwc(L'a', stream));
    SHOW(putwc(L'b', stream));
    SHOW(fputws(L"c", stream));
    rewind(stream);
    SHOW(fgetwc(stream));
    SHOW(ungetwc(L'q', stream));
    SHOW(getwc(stream));
    SHOW(fclose(stream));
}

static void memory_of_the_process(void)
{
    char from[4] = "abc", to[4] = "";
    struct iovec here = {to, 3}, there = {from, 3};
    SHOW(process_vm_readv(getpid(), &here, 1, &there, 1, 0));
    check("abc arrived", memcmp(to, "abc", 3) == 0);
    from[0] = 'x';
    SHOW(process_vm_writev(getpid(), &there, 1, &here, 1, 0));
    check("xbc arrived", memcmp(to, "xbc", 3) == 0);
    SHOW(process_vm_readv(-1, &here, 1, &there, 1, 0));
}

static void streams(void)
{
    int number = 0;
    char text[32], *line = NULL;
    size_t length = 0;
    stream = fopen("/dev/null", "r+");
    check("fopen64", fopen64("/dev/null", "r") != NULL);
    SHOW(fopen("/nowhere/at/all", "r"));
    fclose(stream);
    stream = tmpfile();
    setvbuf(stream, NULL, _IOFBF, 4096);
    SHOW(fprintf(stream, "one %d\n", 1));
    SHOW(__fprintf_chk(stream, 1, "two %d\n", 2));
    SHOW(list(to_stream, "three %d\n", 3));
    SHOW(list(to_stream_checked, "four %d\n", 4));
    SHOW(fputs("five\n", stream));
    SHOW(fputc('6', stream));
    SHOW(putc('7', stream));
    SHOW(_IO_putc('\n', stream));
    SHOW(fwrite("eight\n", 2, 3, stream));
    SHOW(fflush(stream));
    SHOW(fseek(stream, 0, SEEK_SET));
    SHOW(fgets(text, sizeof text, stream) == text);
    SHOW(__fgets_chk(text, sizeof text, sizeof text, stream) == text);
    SHOW(getline(&line, &length, stream));
    SHOW(getdelim(&line, &length, 'r', stream));
    SHOW(__getdelim(&line, &length, 'r', stream));
    SHOW(fgetc(stream));
    SHOW(getc(stream));
    SHOW(_IO_getc(stream));
    SHOW(ungetc('x', stream));
    SHOW(fread(text, 1, 3, stream));
    SHOW(__fread_chk(text, sizeof text, 1, 2, stream));
    SHOW(ftell(stream));
    SHOW(fseeko(stream, 4, SEEK_SET));
    SHOW(fseeko64(stream, 5, SEEK_SET));
    SHOW(ftello64(stream));
    SHOW(fseeko64(stream, 4, SEEK_SET));
    SHOW(__isoc99_fscanf(stream, "%d two", &number));
    SHOW(list(from_stream, "%d three", &number));
    SHOW(number);
    SHOW(ftello(stream));
    SHOW(feof(stream));
    SHOW(ferror(stream));
    flockfile(stream);
    SHOW(ftrylockfile(stream));
    funlockfile(stream);
    _IO_flockfile(stream);
    SHOW(_IO_ftrylockfile(stream));
    _IO_funlockfile(stream);
    funlockfile(stream);
    funlockfile(stream);
    SHOW(fclose(stream));
    SHOW(fdopen(-1, "r"));
    SHOW(printf("printf %d\n", 1));
    SHOW(__printf_chk(1, "printf %d\n", 2));
    SHOW(list(vprintf, "printf %d\n", 3));
    SHOW(list(checked, "printf %d\n", 4));
    SHOW(puts("puts"));
    SHOW(putchar('!'));
    SHOW(getchar());
    SHOW(__isoc99_scanf("%d", &number));
    SHOW(dprintf(1, "dprintf %d\n", 1));
    SHOW(__dprintf_chk(1, 1, "dprintf %d\n", 2));
    SHOW(list(to_descriptor, "dprintf %d\n", 3));
    SHOW(list(to_descriptor_checked, "dprintf %d\n", 4));
    SHOW(dprintf(-1, "x"));
    SHOW(fflush(NULL));
    stream = popen("exit 4", "r");
    SHOW(pclose(stream));
}

static void randomness(void)
{
    uint8_t bytes[8] = {0}, more[1000] = {0};
    SHOW(getrandom(bytes, sizeof bytes, 0));
    SHOW(getrandom(bytes, sizeof bytes, 1u << 20));
    SHOW(getentropy(more, 8));
    SHOW(getentropy(more, sizeof more));
    check("random bytes differ", memcmp(bytes, more, sizeof bytes) != 0);
    arc4random_buf(bytes, sizeof bytes);
    check("arc4random differs", arc4random() != arc4random());
    SHOW(arc4random_uniform(1));
    check("getpid", getpid() == syscall(SYS_getpid));
    check("gettid", gettid() == syscall(SYS_gettid));
    check("getppid", getppid() == syscall(SYS_getppid));
    SHOW(kill(getpid(), 0));
    SHOW(kill(getpid(), 999));
}

static void *sleep_long(void *unused)
{
    sleep(60);
    return unused;
}

static void refused(void)
{
    pthread_t thread;
    timer_t timer;
    sigset_t set, all;
    siginfo_t information;
    int number;
    struct timespec none = {0};
    struct itimerval soon = {.it_value.tv_usec = 1000};
    struct sembuf down = {.sem_op = -1};
    struct aiocb block = {.aio_fildes = -1};
    char text[8];
    sigfillset(&all);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGALRM, on_signal);
    signal(SIGUSR2, on_signal);
    sigprocmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, sleep_long, NULL);
    SHOW(pthread_cancel(thread));
    pthread_join(thread, NULL);
    raise(SIGUSR1);
    SHOW(sigwait(&set, &number));
    raise(SIGUSR1);
    SHOW(sigwaitinfo(&set, &information));
    SHOW(sigtimedwait(&set, &information, &none));
    SHOW(setitimer(ITIMER_REAL, &soon, NULL));
    SHOW(pause());
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR2);
    sigemptyset(&set);
    SHOW(sigsuspend(&set));
    SHOW(alarm(100));
    SHOW(alarm(0));
    SHOW(ualarm(0, 0));
    SHOW(timer_create(CLOCK_MONOTONIC, NULL, &timer));
    SHOW(timer_create(-999, NULL, &timer));
    SHOW(timer_settime(timer, 0, NULL, NULL));
    SHOW(timerfd_create(-1, 0));
    SHOW(signalfd(-1, &set, -1));
    SHOW(pthread_sigqueue(pthread_self(), 0, (union sigval){0}));
    SHOW(mq_send(-1, "", 0, 0));
    SHOW(mq_timedsend(-1, "", 0, 0, &none));
    SHOW(mq_receive(-1, text, sizeof text, NULL));
    SHOW(mq_timedreceive(-1, text, sizeof text, NULL, &none));
    SHOW(semget(0x62706f72, 0, 0));
    SHOW(msgget(0x62706f72, 0));
    SHOW((int)mq_open("no slash", O_RDONLY));
    SHOW(semop(-1, &down, 1));
    SHOW(semtimedop(-1, &down, 1, &none));
    SHOW(msgsnd(-1, text, 0, 0));
    SHOW(msgrcv(-1, text, 0, 0, 0));
    SHOW(aio_read(&block));
    SHOW(aio_write(&block));
    SHOW(lio_listio(LIO_WAIT, NULL, 0, NULL));
    SHOW(flock(-1, LOCK_EX));
}

static void spawned(void)
{
    char *arguments[] = {"true", NULL}, *environment[] = {NULL};
    pid_t child;
    int status;
    SHOW(posix_spawn(&child, "/nowhere", NULL, NULL, arguments, environment));
    SHOW(posix_spawnp(&child, "true", NULL, NULL, arguments, environment));
    waitpid(child, &status, 0);
    SHOW(status);
}

/* With an argument: only what is not refused under control. */
int main(int argc, char **argv)
{
    (void)argv;
    descriptors();
    events();
    sockets();
    streams();
    other_streams();
    memory_of_the_process();
    randomness();
    spawned();
    if (argc > 1)
        return 0;
    refused_transfers();
    refused();
    return 0;
}

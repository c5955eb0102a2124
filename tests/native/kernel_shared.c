/* One thing that the kernel shares between processes, made before main (argv[1] says which), changed in main; what main found of
 * it is printed. A row: its name, how it is made, what an execution does with it and prints. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int *word;
static int fd = -1, other = -1, ends[2] = {-1, -1};
static FILE *stream;
static DIR *directory;

static void tell(const char *what, long value)
{
    printf("%s %ld; ", what, value);
}

/* ---- memory ---- */

static void *share(int file, size_t bytes, int protection)
{
    void *made = mmap(NULL, bytes, protection, MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
    if (made == MAP_FAILED)
        exit(66);
    return made;
}

static void count(void)
{
    tell("found", ++*word);
}

static void make_anonymous(void)
{
    word = share(-1, 4096, PROT_READ | PROT_WRITE);
    *word = 40;
}

static void make_protected(void)
{
    make_anonymous();
    mprotect((void *)word, 4096, PROT_NONE);
}

static void use_protected(void)
{
    mprotect((void *)word, 4096, PROT_READ | PROT_WRITE);
    count();
}

static void make_huge(void)
{
    word = mmap(NULL, 1l << 31, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void make_memfd(void)
{
    fd = memfd_create("a file in memory", MFD_ALLOW_SEALING);
    if (ftruncate(fd, 4096) != 0)
        exit(66);
}

static void make_mapped_memfd(void)
{
    make_memfd();
    word = share(fd, 4096, PROT_READ | PROT_WRITE);
}

static void make_mapped_closed(void)
{
    make_mapped_memfd();
    close(fd);
}

static void make_beyond_end(void)
{
    make_memfd();
    word = share(fd, 8192, PROT_READ | PROT_WRITE);
}

static void use_truncated(void)
{
    struct stat facts;
    fstat(fd, &facts);
    tell("bytes", facts.st_size);
    count();
    tell("cut", ftruncate(fd, 0));
}

static void make_posix(void)
{
    char name[64];
    snprintf(name, sizeof name, "/bpor-native-test-%d", getpid());
    fd = shm_open(name, O_RDWR | O_CREAT, 0600);
    if (ftruncate(fd, 4096) != 0)
        exit(66);
    word = share(fd, 4096, PROT_READ | PROT_WRITE);
    shm_unlink(name);
}

static void make_system_v(void)
{
    int id = shmget(IPC_PRIVATE, 4096, 0600);
    word = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL);
}

static void make_system_v_apart(void)
{
    const char *bytes = getenv("SEGMENT_BYTES");
    fd = shmget(IPC_PRIVATE, bytes ? (size_t)atol(bytes) : 4096, 0600);
}

static void use_system_v_apart(void)
{
    word = shmat(fd, NULL, 0);
    count();
    if (getenv("TIDY"))
        shmctl(fd, IPC_RMID, NULL);
}

/* ---- files ---- */

static void make_file(void)
{
    stream = tmpfile();
    fd = fileno(stream);
    if (write(fd, "0123456789", 10) != 10)
        exit(66);
    lseek(fd, 2, SEEK_SET);
}

static void use_offset(void)
{
    char byte = '?';
    tell("read", read(fd, &byte, 1));
    tell("byte", byte);
    tell("at", lseek(fd, 0, SEEK_CUR));
}

static void make_copies(void)
{
    make_file();
    other = dup(fd);
}

static void use_copies(void)
{
    use_offset();
    tell("the other at", lseek(other, 0, SEEK_CUR));
    lseek(other, 7, SEEK_SET);
    use_offset();
}

static void use_contents(void)
{
    char text[16] = "";
    struct stat facts;
    tell("read", pread(fd, text, 10, 0));
    printf("%s; ", text);
    tell("wrote", pwrite(fd, "abc", 3, 8));
    fstat(fd, &facts);
    tell("bytes", facts.st_size);
}

static void use_stream(void)
{
    char text[16] = "";
    fseek(stream, 0, SEEK_END);
    tell("end", ftell(stream));
    fprintf(stream, "more");
    fflush(stream);
    rewind(stream);
    tell("read", (long)fread(text, 1, 15, stream));
    printf("%s; ", text);
}

static void use_permissions(void)
{
    struct stat facts;
    fstat(fd, &facts);
    tell("mode", facts.st_mode & 0777);
    fchmod(fd, 0640);
}

static void use_flags(void)
{
    int flags = fcntl(fd, F_GETFL);
    tell("append", (flags & O_APPEND) != 0);
    fcntl(fd, F_SETFL, flags | O_APPEND | O_NONBLOCK);
    tell("wrote", write(fd, "x", 1));
    tell("at", lseek(fd, 0, SEEK_CUR));
}

static void make_device(void)
{
    fd = open("/dev/null", O_RDWR);
}

static void use_output(void)
{
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    tell("nonblocking", (flags & O_NONBLOCK) != 0);
    fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
}

static void make_append(void)
{
    make_file();
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_APPEND);
}

static void make_write_only(void)
{
    make_file();
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int writer = open(path, O_WRONLY);
    other = fd;
    fd = writer;
    lseek(fd, 3, SEEK_SET);
}

static void use_write_only(void)
{
    char text[16] = "";
    tell("at", lseek(fd, 0, SEEK_CUR));
    tell("wrote", write(fd, "zz", 2));
    tell("read", pread(other, text, 15, 0));
    printf("%s; ", text);
}

static void use_memfd(void)
{
    char byte = '?';
    tell("read", pread(fd, &byte, 1, 0));
    tell("byte", byte);
    tell("wrote", pwrite(fd, "!", 1, 0));
}

static void use_seals(void)
{
    tell("seals", fcntl(fd, F_GET_SEALS));
    use_memfd();
    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE);
}

static int named(void)
{
    return open("named.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static void make_named(void)
{
    fd = named();
    if (write(fd, "0123456789", 10) != 10)
        exit(66);
}

static void use_unlinked(void)
{
    tell("there", access("named.txt", F_OK) == 0);
    unlink("named.txt");
}

static void make_locked(void)
{
    make_named();
    other = open("named.txt", O_RDWR);
    flock(fd, LOCK_EX);
}

static void make_openly_locked(void)
{
    make_named();
    other = open("named.txt", O_RDWR);
    struct flock whole = {.l_type = F_WRLCK};
    fcntl(fd, F_OFD_SETLK, &whole);
}

static void use_lock(void)
{
    tell("locked by another", flock(other, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
    flock(other, LOCK_UN);
    flock(fd, LOCK_UN);
    tell("then", flock(other, LOCK_EX | LOCK_NB));
}

static void use_open_lock(void)
{
    struct flock whole = {.l_type = F_WRLCK};
    tell("locked by another", fcntl(other, F_OFD_SETLK, &whole) != 0);
    whole = (struct flock){.l_type = F_UNLCK};
    fcntl(fd, F_OFD_SETLK, &whole);
    whole = (struct flock){.l_type = F_WRLCK};
    tell("then", fcntl(other, F_OFD_SETLK, &whole));
}

static void make_unlocked(void)
{
    make_named();
    other = open("named.txt", O_RDWR);
}

static void use_unlocked(void)
{
    tell("free", flock(other, LOCK_EX | LOCK_NB));
    flock(other, LOCK_UN);
    tell("taken", flock(fd, LOCK_EX | LOCK_NB));
}

static void make_record_lock(void)
{
    make_named();
    struct flock whole = {.l_type = F_WRLCK};
    fcntl(fd, F_SETLK, &whole);
}

static void make_directory(void)
{
    directory = opendir("/proc/self/attr/..");
}

static void use_directory(void)
{
    for (int i = 0; i < 3; i++) {
        struct dirent *entry = readdir(directory);
        printf("%s; ", entry ? entry->d_name : "none");
    }
    tell("at", lseek(dirfd(directory), 0, SEEK_CUR) > 0);
    int fresh = dup(dirfd(directory));
    tell("raw", syscall(SYS_getdents64, fresh, (char[64]){0}, 64) > 0);
}

static void use_input(void)
{
    char line[32] = "";
    tell("read", read(0, line, 4));
    printf("%s; ", line);
}

static void make_input(void)
{
    use_input();
}

/* ---- what threads and processes talk through ---- */

static void make_pipe(void)
{
    if (pipe(ends) != 0 || write(ends[1], "abc", 3) != 3)
        exit(66);
}

static void use_pipe(void)
{
    char text[8] = "";
    tell("read", read(ends[0], text, 2));
    printf("%s; ", text);
    tell("wrote", write(ends[1], "d", 1));
}

static void use_end_of_pipe(void)
{
    char text[8] = "";
    close(ends[1]);
    tell("read", read(ends[0], text, 7));
    tell("end", read(ends[0], text, 7));
}

static void make_pipe_stream(void)
{
    make_pipe();
    stream = fdopen(ends[1], "w");
}

static void use_pipe_stream(void)
{
    char text[8] = "";
    fprintf(stream, "xy");
    fflush(stream);
    tell("read", read(ends[0], text, 7));
    printf("%s; ", text);
    fprintf(stream, "left");
    fflush(stream);
}

static void make_sockets(void)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || write(ends[1], "abc", 3) != 3)
        exit(66);
}

static void make_event(void)
{
    fd = eventfd(3, 0);
}

static void use_event(void)
{
    uint64_t value = 0;
    tell("read", read(fd, &value, sizeof value));
    tell("value", (long)value);
    value = 5;
    tell("wrote", write(fd, &value, sizeof value));
}

static void make_epoll(void)
{
    make_event();
    other = epoll_create1(0);
}

static void use_epoll(void)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd}, got;
    tell("added", epoll_ctl(other, EPOLL_CTL_ADD, fd, &event));
    tell("ready", epoll_wait(other, &got, 1, 0));
}

static void make_timer(void)
{
    fd = timerfd_create(CLOCK_MONOTONIC, 0);
}

static void use_timer(void)
{
    struct itimerspec value = {{0, 0}, {1000, 0}}, old;
    timerfd_settime(fd, 0, &value, &old);
    tell("armed", old.it_value.tv_sec > 0);
}

static void make_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    fd = signalfd(-1, &set, SFD_NONBLOCK);
}

static void use_signals(void)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    FILE *info = fopen(path, "r");
    uint64_t mask = 0;
    if (fread(text, 1, 255, info) > 0)
        printf("%s", strstr(text, "sigmask"));
    syscall(SYS_signalfd4, fd, &mask, sizeof mask, 0);
}

static void make_watch(void)
{
    fd = inotify_init1(IN_NONBLOCK);
}

static void use_watch(void)
{
    tell("watch", inotify_add_watch(fd, ".", IN_CREATE));
}

static void make_socket(void)
{
    fd = socket(AF_UNIX, SOCK_DGRAM, 0);
}

static void use_socket(void)
{
    int size = 0;
    socklen_t bytes = sizeof size;
    getsockopt(fd, SOL_SOCKET, SO_PASSCRED, &size, &bytes);
    tell("option", size);
    size = 1;
    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &size, sizeof size);
}

static void make_terminal(void)
{
    fd = posix_openpt(O_RDWR | O_NOCTTY);
}

static void use_terminal(void)
{
    int locked = -1;
    ioctl(fd, TIOCGPTLCK, &locked);
    tell("locked", locked);
    unlockpt(fd);
}

/* ---- the process itself ---- */

static void make_interval(void)
{
    struct itimerval soon = {{1000, 0}, {1000, 0}};
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void nothing(void)
{
}

static void use_nothing(void)
{
    tell("ran", 1);
}

static const struct row {
    const char *name;
    void (*make)(void);
    void (*use)(void);
} row[] = {
    {"memory", make_anonymous, count},
    {"protected-memory", make_protected, use_protected},
    {"huge-memory", make_huge, count},
    {"mapped-memfd", make_mapped_memfd, count},
    {"mapped-memfd-closed", make_mapped_closed, count},
    {"mapped-memfd-beyond-end", make_beyond_end, count},
    {"mapped-memfd-truncated", make_mapped_memfd, use_truncated},
    {"posix-memory", make_posix, count},
    {"system-v-memory", make_system_v, count},
    {"system-v-memory-apart", make_system_v_apart, use_system_v_apart},
    {"offset", make_file, use_offset},
    {"offset-of-copies", make_copies, use_copies},
    {"contents", make_file, use_contents},
    {"contents-by-stream", make_file, use_stream},
    {"contents-appended", make_append, use_contents},
    {"contents-write-only", make_write_only, use_write_only},
    {"contents-of-memfd", make_memfd, use_memfd},
    {"contents-of-named-file", make_named, use_contents},
    {"name", make_named, use_unlinked},
    {"seals", make_memfd, use_seals},
    {"permissions", make_file, use_permissions},
    {"flags", make_file, use_flags},
    {"flags-of-device", make_device, use_flags},
    {"flags-of-output", nothing, use_output},
    {"lock", make_locked, use_lock},
    {"lock-taken", make_unlocked, use_unlocked},
    {"open-file-lock", make_openly_locked, use_open_lock},
    {"record-lock", make_record_lock, use_nothing},
    {"directory", make_directory, use_directory},
    {"input", nothing, use_input},
    {"input-begun", make_input, use_input},
    {"pipe", make_pipe, use_pipe},
    {"pipe-end", make_pipe, use_end_of_pipe},
    {"pipe-stream", make_pipe_stream, use_pipe_stream},
    {"sockets", make_sockets, use_pipe},
    {"sockets-end", make_sockets, use_end_of_pipe},
    {"eventfd", make_event, use_event},
    {"epoll", make_epoll, use_epoll},
    {"timerfd", make_timer, use_timer},
    {"signalfd", make_signals, use_signals},
    {"inotify", make_watch, use_watch},
    {"socket", make_socket, use_socket},
    {"terminal", make_terminal, use_terminal},
    {"interval-timer", make_interval, use_nothing},
};

static const struct row *chosen(char **argv)
{
    for (size_t i = 0; argv[1] && i < sizeof row / sizeof row[0]; i++)
        if (strcmp(row[i].name, argv[1]) == 0)
            return &row[i];
    return NULL;
}

__attribute__((constructor)) static void before_main(int argc, char **argv)
{
    (void)argc;
    if (chosen(argv))
        chosen(argv)->make();
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t beside;
    if (argc < 2) {
        for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
            puts(row[i].name);
        return 0;
    }
    pthread_create(&beside, NULL, thread, NULL);
    if (!chosen(argv))
        return 65;
    pthread_mutex_lock(&mutex);
    chosen(argv)->use();
    pthread_mutex_unlock(&mutex);
    pthread_join(beside, NULL);
    return 0;
}

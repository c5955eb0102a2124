/* What the kernel keeps for us, made at its first use and used from then on: if that was before main, an execution has to find it
 * as it was there, not as the last one left it. */
#include "player.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <unistd.h>

static uint64_t *map_shared(int file)
{
    void *start = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, file, 0);
    MUST(start != MAP_FAILED);
    return static_cast<uint64_t *>(start);
}

static uint64_t counter_in_shared_memory(unsigned parameter)
{
    static uint64_t *counter = map_shared(-1);
    return *counter += 1 + parameter % 3;
}

static uint64_t counter_in_memory_file(unsigned parameter)
{
    static const int file = memfd_create("counter", MFD_CLOEXEC);
    uint64_t value = 0;
    if (pread(file, &value, sizeof value, 8) != sizeof value)
        value = 0;
    value += 1 + parameter % 3;
    MUST(pwrite(file, &value, sizeof value, 8) == sizeof value);
    return value;
}

static uint64_t *mapped_memory_file()
{
    int file = memfd_create("mapped", MFD_CLOEXEC);
    MUST(file >= 0 && ftruncate(file, 4096) == 0);
    uint64_t *at = map_shared(file);
    close(file);
    return at;
}

static uint64_t counter_in_mapped_file(unsigned)
{
    static uint64_t *counter = mapped_memory_file();
    return ++*counter;
}

static uint64_t *segment()
{
    int identity = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    MUST(identity >= 0);
    void *start = shmat(identity, nullptr, 0);
    MUST(start != reinterpret_cast<void *>(-1));
    shmctl(identity, IPC_RMID, nullptr);
    return static_cast<uint64_t *>(start);
}

static uint64_t counter_in_segment(unsigned)
{
    static uint64_t *counter = segment();
    return ++*counter;
}

static uint64_t next_byte(unsigned parameter)
{
    static const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char bytes[4] = {};
    MUST(read(file, bytes, 1 + parameter % 3) > 0);
    return mixed_bytes(lseek(file, 0, SEEK_CUR), bytes, 4);
}

static uint64_t next_line(unsigned)
{
    static FILE *const stream = fopen("/etc/services", "re");
    static FILE *const other = stream ? stream : fopen("/etc/passwd", "re");
    char line[256] = {};
    if (!other || !fgets(line, sizeof line, other))
        return 0;
    return mixed_bytes(ftell(other), line, strlen(line));
}

static int unlinked()
{
    const char *directory = getenv("TMPDIR");
    std::string pattern = std::string(directory ? directory : "/tmp") + "/XXXXXX";
    int file = mkstemp(pattern.data());
    MUST(file >= 0);
    unlink(pattern.c_str());
    return file;
}

static uint64_t length_of_log(unsigned parameter)
{
    static const int file = unlinked();
    MUST(write(file, "entry", 1 + parameter % 5) > 0);
    return lseek(file, 0, SEEK_END);
}

static int *pipe_with(const char *tokens)
{
    static int ends[2];
    MUST(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    MUST(write(ends[1], tokens, strlen(tokens)) > 0);
    return ends;
}

static uint64_t token_of_pipe(unsigned parameter)
{
    static const int *const ends = pipe_with("abcdefgh");
    char token = 0;
    uint64_t value = read(ends[0], &token, 1) == 1 ? token : errno;
    if (parameter % 3 == 0)
        MUST(write(ends[1], "x", 1) == 1);
    return value;
}

static uint64_t count_of_events(unsigned parameter)
{
    static const int event = eventfd(2, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    uint64_t value = 1;
    if (parameter % 2)
        return write(event, &value, 8);
    return read(event, &value, 8) == 8 ? value : errno;
}

static uint64_t flags_of_descriptor(unsigned)
{
    static const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    int flags = fcntl(file, F_GETFL);
    fcntl(file, F_SETFL, flags ^ O_NONBLOCK);
    return flags;
}

static uint64_t next_entry(unsigned)
{
    static DIR *const directory = opendir("/usr");
    struct dirent *entry = readdir(directory);
    return entry ? mixed_bytes(1, entry->d_name, strlen(entry->d_name)) : 0;
}

static uint64_t copy_of_descriptor(unsigned)
{
    static const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    static int copies[8], count;
    if (count < 8)
        copies[count++] = dup(file);
    else
        close(copies[--count]);
    return count * 16 + (copies[0] - file);
}

static uint64_t datagrams(unsigned parameter)
{
    static int ends[2] = {-1, -1};
    char text[8] = {};
    if (ends[0] < 0)
        MUST(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    if (parameter % 2)
        return send(ends[0], "abc", 1 + parameter % 3, 0);
    ssize_t got = recv(ends[1], text, sizeof text, 0);
    return got < 0 ? errno : mixed_bytes(got, text, got);
}

static uint64_t interest(unsigned)
{
    static const int epoll = epoll_create1(EPOLL_CLOEXEC), event = eventfd(1, EFD_CLOEXEC);
    static bool there;
    struct epoll_event wanted = {EPOLLIN, {nullptr}};
    int error = epoll_ctl(epoll, there ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, event, &wanted);
    there = !there;
    return error * 4 + epoll_wait(epoll, &wanted, 1, 0);
}

static uint64_t lock_of_file(unsigned)
{
    static const int file = unlinked();
    static bool held;
    int error = flock(file, held ? LOCK_UN : LOCK_EX | LOCK_NB);
    held = !held;
    return error;
}

const Activity of_objects[] = {
    {"counter_in_shared_memory", counter_in_shared_memory, OBJECTS},
    {"counter_in_memory_file", counter_in_memory_file, OBJECTS},
    {"counter_in_mapped_file", counter_in_mapped_file, OBJECTS},
    {"counter_in_segment", counter_in_segment, OBJECTS},
    {"next_byte", next_byte, OBJECTS},
    {"next_line", next_line, OBJECTS},
    {"length_of_log", length_of_log, OBJECTS},
    {"token_of_pipe", token_of_pipe, OBJECTS},
    {"count_of_events", count_of_events, OBJECTS},
    {"flags_of_descriptor", flags_of_descriptor, OBJECTS},
    {"next_entry", next_entry, OBJECTS},
    {"copy_of_descriptor", copy_of_descriptor, OBJECTS},
    {"datagrams", datagrams, OBJECTS},
    {"interest", interest, OBJECTS},
    {"lock_of_file", lock_of_file, OBJECTS},
    {nullptr, nullptr, NOTHING},
};

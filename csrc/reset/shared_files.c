/* Open files: offset, flags, lock and contents belong to the open file description, which all processes that inherited the
 * descriptor share. The description stays shared, because copies of a descriptor share an offset; only its state is put back.
 * Pipes and eventfds get a successor in every execution instead (model/channel_renew.c): an end that the template holds open too
 * never closes. */
#define _GNU_SOURCE
#include "model/channel.h"
#include "process/descriptors.h"
#include "reset/guard_files.h"
#include "reset/saved.h"
#include "reset/shared_state.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { MAX_FILES = 1024, PATH_BYTES = 64, NAME_BYTES = 96, INFO_BYTES = 2048, MEMORY_DEVICES = 1 };
enum { NULL_MINOR = 3, ZERO_MINOR = 5, FULL_MINOR = 7, RANDOM_MINOR = 8, URANDOM_MINOR = 9 };

static struct kept {
    int fd;
    int flags;
    int lock;  /* as flock takes it */
    int seals; /* of a file in memory; else an error */
    bool flags_alone;
    bool written;
    long offset;
    struct stat facts;
    struct saved contents; /* if it can be written */
} kept[MAX_FILES];
static unsigned count;
static const char *problem;

static int control(int fd, int command, long argument)
{
    return (int)sys_call3(SYS_fcntl, fd, command, argument);
}

/* The path of /proc through which the file can be opened again, whatever its descriptor was opened for. */
static int open_again(int fd, int flags)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return (int)sys_call4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

static void name_of(int fd, char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    long bytes = sys_call3(SYS_readlink, path, name, NAME_BYTES - 1);
    name[bytes > 0 ? bytes : 0] = '\0';
}

static bool is_controllers(const char *name)
{
    return strncmp(name, "/memfd:bpor-", strlen("/memfd:bpor-")) == 0;
}

/* ---- locks: "lock:\t1: FLOCK  ADVISORY  WRITE 123 08:01:9 0 EOF" ---- */

static bool read_info(int fd, char *info)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    return bpor_descriptors_read(path, info, INFO_BYTES) < INFO_BYTES - 1;
}

static const char *take_locks(struct kept *file)
{
    char info[INFO_BYTES];
    file->lock = LOCK_UN;
    if (!read_info(file->fd, info))
        return "it has too many locks";
    for (const char *line = info; (line = strstr(line, "lock:")); line++) {
        if (strstr(line, ": FLOCK ") != strchr(line + strlen("lock:"), ':'))
            return "it has a lock that cannot be put back";
        file->lock = strstr(line, "WRITE") ? LOCK_EX : LOCK_SH;
    }
    return NULL;
}

/* One that is as it was is not given up for a moment: another process may wait for it, as whoever looks for directories of ours
 * that nobody holds any more. */
static bool is_locked_as_before(const struct kept *file)
{
    struct kept now = *file;
    return file->lock != LOCK_UN && take_locks(&now) == NULL && now.lock == file->lock;
}

/* Before any is taken again: another descriptor may have it. */
static void unlock(const struct kept *file)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    if (file->flags_alone)
        return;
    if (!is_locked_as_before(file))
        sys_call3(SYS_flock, file->fd, LOCK_UN, 0);
    if (S_ISREG(file->facts.st_mode))
        control(file->fd, F_OFD_SETLK, (long)&all);
}

static bool lock_again(const struct kept *file)
{
    return file->lock == LOCK_UN || sys_call3(SYS_flock, file->fd, file->lock | LOCK_NB, 0) == 0;
}

static void find_record_lock(int fd)
{
    char info[INFO_BYTES];
    struct stat facts;
    if (sys_call3(SYS_fstat, fd, &facts, 0) != 0 || !S_ISREG(facts.st_mode))
        return;
    if (!read_info(fd, info) || strstr(info, ": POSIX "))
        problem = bpor_shared_say("descriptor %d has a record lock from before the fork point, which no execution would inherit; "
                                  "lock it later, or use flock",
                                  fd);
}

const char *bpor_shared_lost_by_fork(void)
{
    problem = NULL;
    bpor_descriptors_each(find_record_lock);
    return problem;
}

/* ---- contents ---- */

/* A test runner's files with a name are for all to write, its own threads among them. */
static bool is_runners_own(const struct kept *file)
{
    return bpor == NULL && file->facts.st_nlink > 0;
}

static const char *take_contents(struct kept *file)
{
    file->written = (file->flags & O_ACCMODE) != O_RDONLY && S_ISREG(file->facts.st_mode) && !is_runners_own(file);
    if (!file->written)
        return NULL;
    if (!bpor_saved_has_room((size_t)file->facts.st_size))
        return "it is too large to be saved";
    int again = open_again(file->fd, O_RDWR);
    bool saved = again >= 0 && bpor_saved_file(again, (size_t)file->facts.st_size, &file->contents);
    if (again >= 0)
        sys_call3(SYS_close, again, 0, 0);
    return saved ? NULL : "it cannot be saved";
}

static bool same_time(const struct timespec *one, const struct timespec *other)
{
    return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

static bool put_back_contents(const struct kept *file, const struct stat *now)
{
    if (!file->written)
        return true;
    int again = open_again(file->fd, O_RDWR);
    if (again < 0)
        return false;
    bool back = bpor_saved_file_back(again, &file->contents);
    const struct timespec times[2] = {file->facts.st_atim, file->facts.st_mtim};
    if (!same_time(&file->facts.st_mtim, &now->st_mtim))
        sys_call4(SYS_utimensat, again, NULL, times, 0);
    sys_call3(SYS_close, again, 0, 0);
    return back;
}

/* ---- one file ---- */

static const char *take_file(int fd, const struct stat *facts, int flags)
{
    struct kept *file = &kept[count];
    if (count == MAX_FILES)
        return "it is one of more than 1024";
    *file = (struct kept){.fd = fd, .flags = flags, .facts = *facts};
    file->offset = sys_call3(SYS_lseek, fd, 0, SEEK_CUR);
    file->seals = control(fd, F_GET_SEALS, 0);
    if (file->offset < 0)
        return "it has no offset that could be put back";
    const char *why = take_locks(file);
    if (!why)
        why = take_contents(file);
    count += why == NULL;
    return why;
}

/* Output, whose contents the controller takes. */
static const char *take_flags(int fd, int flags)
{
    if (count == MAX_FILES)
        return "it is one of more than 1024";
    kept[count++] = (struct kept){.fd = fd, .flags = flags, .flags_alone = true};
    return NULL;
}

/* What has another owner or another number of names cannot be given back what it had. */
static bool same_file(const struct kept *file, const struct stat *now)
{
    bool directory = S_ISDIR(now->st_mode); /* has a name in each of those that it holds */
    return now->st_uid == file->facts.st_uid && now->st_gid == file->facts.st_gid &&
           (directory || now->st_nlink == file->facts.st_nlink) && control(file->fd, F_GET_SEALS, 0) == file->seals;
}

static bool put_back(const struct kept *file)
{
    struct stat now;
    if (file->flags_alone)
        return control(file->fd, F_SETFL, file->flags) == 0;
    if (sys_call3(SYS_fstat, file->fd, &now, 0) != 0 || !same_file(file, &now))
        return false;
    if (now.st_mode != file->facts.st_mode && sys_call3(SYS_fchmod, file->fd, file->facts.st_mode & 07777, 0) != 0)
        return false;
    return lock_again(file) && put_back_contents(file, &now) && control(file->fd, F_SETFL, file->flags) == 0 &&
           sys_call3(SYS_lseek, file->fd, file->offset, SEEK_SET) == file->offset;
}

/* ---- all of them ---- */

/* Nothing but what was opened has a state: its flags. */
static bool is_stateless_device(const struct stat *facts)
{
    unsigned number = minor(facts->st_rdev);
    return S_ISCHR(facts->st_mode) && major(facts->st_rdev) == MEMORY_DEVICES &&
           (number == NULL_MINOR || number == ZERO_MINOR || number == FULL_MINOR || number == RANDOM_MINOR ||
            number == URANDOM_MINOR);
}

/* The meaningful part of a name like "anon_inode:[timerfd]". */
static const char *inner_name(char *name)
{
    char *colon = strchr(name, ':'), *end = strchr(name, ']');
    if (end)
        *end = '\0';
    return colon ? colon + 1 + (colon[1] == '[') : "of a kind that is not known";
}

static const char *word_for(const struct stat *facts, char *name)
{
    switch (facts->st_mode & S_IFMT) {
    case S_IFREG:
        return "file";
    case S_IFDIR:
        return "directory";
    case S_IFIFO:
        return "pipe";
    case S_IFSOCK:
        return "socket";
    case S_IFCHR:
    case S_IFBLK:
        return "device";
    default:
        return inner_name(name);
    }
}

/* A process that is no template is a test runner, which says more in the meantime. */
static bool is_runners_output(int fd)
{
    return bpor == NULL && bpor_guard_is_output(fd);
}

static void take(int fd)
{
    char name[NAME_BYTES];
    struct stat facts;
    if (problem || bpor_descriptor_is_ours(fd) || sys_call3(SYS_fstat, fd, &facts, 0) != 0)
        return;
    int flags = control(fd, F_GETFL, 0);
    name_of(fd, name);
    if (flags & O_PATH || bpor_channel_is_renewed(fd) || is_runners_output(fd))
        return;
    const char *why = "its state cannot be put back";
    if (is_controllers(name))
        why = take_flags(fd, flags);
    else if (S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode) || is_stateless_device(&facts))
        why = take_file(fd, &facts, flags);
    else if (bpor == NULL || bpor->adopted)
        return; /* the test runner's, or a fixture's: whoever reads from it is told that it comes from outside */
    if (why)
        problem = bpor_shared_say("descriptor %d (%s), opened before the fork point, is shared by all executions, and %s", fd,
                                  word_for(&facts, name), why);
}

const char *bpor_shared_files_take(void)
{
    problem = NULL;
    count = 0;
    bpor_descriptors_each(take);
    return problem;
}

const char *bpor_shared_files_put_back(void)
{
    for (unsigned i = 0; i < count; i++)
        unlock(&kept[i]);
    for (unsigned i = 0; i < count; i++)
        if (!put_back(&kept[i]))
            return bpor_shared_say("an execution changed for good what descriptor %d, opened before the fork point, leads to",
                                   kept[i].fd);
    return NULL;
}

/* Calls on files by descriptor that need not be looked at for channels; read and write are in descriptor_io.c. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/mapped_file.h"
#include "intercept/private_copy.h"
#include "intercept/told.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_CALL(result, name, parameters, arguments, fd, access)                                                               \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_file_use(fd, access, CALL_SITE);                                                                                    \
        return REAL(name) arguments;                                                                                             \
    }

/* One that changes contents, from a place on. */
#define SIZE_CALL(name, parameters, arguments, at, length)                                                                       \
    INTERCEPT int name parameters                                                                                                \
    {                                                                                                                            \
        bpor_file_use(fd, CHANGES, CALL_SITE);                                                                                   \
        bpor_mapped_file_use(fd, at, (size_t)(length), CHANGES, CALL_SITE);                                                      \
        return REAL(name) arguments;                                                                                             \
    }

/* Calls that copy into the program's memory, or from it. `before` is reported before the call and `behind` after it, with its
 * result; `moved` is the number of bytes of the file. */
#define TRANSFER(result, name, parameters, arguments, access, at, moved, before, behind)                                         \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        before;                                                                                                                  \
        bpor_file_use(fd, access, site);                                                                                         \
        bpor_mapped_file_use(fd, at, moved, access, site);                                                                       \
        result answer = REAL(name) arguments;                                                                                    \
        behind;                                                                                                                  \
        return answer;                                                                                                           \
    }
/* The same with what lies in between in a copy of the caller's own, where others look at the buffer. */
#define READ_CALL(name, parameters, arguments)                                                                                   \
    INTERCEPT ssize_t name parameters                                                                                            \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        struct private_copy copy;                                                                                                \
        void *to = bpor_copy_room(&copy, buffer, bytes, site);                                                                   \
        bpor_file_use(fd, LOOKS, site);                                                                                          \
        bpor_mapped_file_use(fd, at, bytes, LOOKS, site);                                                                        \
        return bpor_copy_deliver(&copy, buffer, REAL(name) arguments, site);                                                     \
    }
#define WRITE_CALL(name, parameters, arguments)                                                                                  \
    INTERCEPT ssize_t name parameters                                                                                            \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        struct private_copy copy;                                                                                                \
        const void *from = bpor_copy_taken(&copy, bytes, count, site);                                                           \
        bpor_file_use(fd, CHANGES, site);                                                                                        \
        bpor_mapped_file_use(fd, at, count, CHANGES, site);                                                                      \
        return REAL(name) arguments;                                                                                             \
    }
#define TRANSFER_CALL(result, name, parameters, arguments, access, at, moved, tells)                                             \
    TRANSFER(result, name, parameters, arguments, access, at, moved, tells)
#define FILLS_PARTS bpor_told_vector_room(parts, count, site), bpor_told_vector_written(parts, count, answer, site)
#define TAKES_PARTS bpor_told_vector_read(parts, count, site), (void)0
#define FILLS_FACTS                                                                                                              \
    bpor_told_room(facts, sizeof *facts, site), bpor_told_write(facts, answer == 0 ? (ssize_t)sizeof *facts : 0, site)

ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off64_t at, size_t room);

READ_CALL(pread, (int fd, void *buffer, size_t bytes, off_t at), (fd, to, bytes, at))
READ_CALL(pread64, (int fd, void *buffer, size_t bytes, off64_t at), (fd, to, bytes, at))
READ_CALL(__pread_chk, (int fd, void *buffer, size_t bytes, off_t at, size_t room), (fd, to, bytes, at, room))
READ_CALL(__pread64_chk, (int fd, void *buffer, size_t bytes, off64_t at, size_t room), (fd, to, bytes, at, room))
TRANSFER_CALL(ssize_t, preadv, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at), LOOKS, at,
              bpor_vector_bytes(parts, count), FILLS_PARTS)
TRANSFER_CALL(ssize_t, preadv64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at), LOOKS, at,
              bpor_vector_bytes(parts, count), FILLS_PARTS)
WRITE_CALL(pwrite, (int fd, const void *bytes, size_t count, off_t at), (fd, from, count, at))
WRITE_CALL(pwrite64, (int fd, const void *bytes, size_t count, off64_t at), (fd, from, count, at))
TRANSFER_CALL(ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at), CHANGES, at,
              bpor_vector_bytes(parts, count), TAKES_PARTS)
TRANSFER_CALL(ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at), CHANGES, at,
              bpor_vector_bytes(parts, count), TAKES_PARTS)
FILE_CALL(off_t, lseek, (int fd, off_t offset, int from), (fd, offset, from), fd, LOOKS | MOVES)
FILE_CALL(off64_t, lseek64, (int fd, off64_t offset, int from), (fd, offset, from), fd, LOOKS | MOVES)
SIZE_CALL(ftruncate, (int fd, off_t length), (fd, length), length, SIZE_MAX)
SIZE_CALL(ftruncate64, (int fd, off64_t length), (fd, length), length, SIZE_MAX)
SIZE_CALL(fallocate, (int fd, int mode, off_t at, off_t length), (fd, mode, at, length), at, length)
SIZE_CALL(posix_fallocate, (int fd, off_t at, off_t length), (fd, at, length), at, length)
TRANSFER_CALL(int, fstat, (int fd, struct stat *facts), (fd, facts), LOOKS, 0, 0, FILLS_FACTS)
TRANSFER_CALL(int, fstat64, (int fd, struct stat64 *facts), (fd, facts), LOOKS, 0, 0, FILLS_FACTS)
FILE_CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), fd, CHANGES)
FILE_CALL(int, futimens, (int fd, const struct timespec times[2]), (fd, times), fd, CHANGES)
FILE_CALL(struct dirent *, readdir, (DIR * directory), (directory), dirfd(directory), LOOKS | MOVES)
FILE_CALL(struct dirent64 *, readdir64, (DIR * directory), (directory), dirfd(directory), LOOKS | MOVES)
FILE_CALL(int, isatty, (int fd), (fd), fd, LOOKS)
FILE_CALL(int, fsync, (int fd), (fd), fd, LOOKS)
FILE_CALL(int, fdatasync, (int fd), (fd), fd, LOOKS)

INTERCEPT int closedir(DIR *directory)
{
    bpor_descriptor_given_up(dirfd(directory), CALL_SITE);
    return REAL(closedir)(directory);
}

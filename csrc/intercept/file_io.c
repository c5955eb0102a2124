/* Calls on files by descriptor that need not be looked at for channels; read and write are in descriptor_io.c. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_CALL(result, name, parameters, arguments, fd, access)                                                               \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_file_use(fd, access, CALL_SITE);                                                                                    \
        return REAL(name) arguments;                                                                                             \
    }

ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off64_t at, size_t room);

FILE_CALL(ssize_t, pread, (int fd, void *buffer, size_t bytes, off_t at), (fd, buffer, bytes, at), fd, LOOKS)
FILE_CALL(ssize_t, pread64, (int fd, void *buffer, size_t bytes, off64_t at), (fd, buffer, bytes, at), fd, LOOKS)
FILE_CALL(ssize_t, __pread_chk, (int fd, void *buffer, size_t bytes, off_t at, size_t room), (fd, buffer, bytes, at, room), fd,
          LOOKS)
FILE_CALL(ssize_t, __pread64_chk, (int fd, void *buffer, size_t bytes, off64_t at, size_t room), (fd, buffer, bytes, at, room),
          fd, LOOKS)
FILE_CALL(ssize_t, preadv, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at), fd, LOOKS)
FILE_CALL(ssize_t, preadv64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at), fd, LOOKS)
FILE_CALL(ssize_t, pwrite, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at), fd, CHANGES)
FILE_CALL(ssize_t, pwrite64, (int fd, const void *bytes, size_t count, off64_t at), (fd, bytes, count, at), fd, CHANGES)
FILE_CALL(ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at), fd, CHANGES)
FILE_CALL(ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at), fd, CHANGES)
FILE_CALL(off_t, lseek, (int fd, off_t offset, int from), (fd, offset, from), fd, LOOKS | MOVES)
FILE_CALL(off64_t, lseek64, (int fd, off64_t offset, int from), (fd, offset, from), fd, LOOKS | MOVES)
FILE_CALL(int, ftruncate, (int fd, off_t length), (fd, length), fd, CHANGES)
FILE_CALL(int, ftruncate64, (int fd, off64_t length), (fd, length), fd, CHANGES)
FILE_CALL(int, fallocate, (int fd, int mode, off_t at, off_t length), (fd, mode, at, length), fd, CHANGES)
FILE_CALL(int, posix_fallocate, (int fd, off_t at, off_t length), (fd, at, length), fd, CHANGES)
FILE_CALL(int, fstat, (int fd, struct stat *facts), (fd, facts), fd, LOOKS)
FILE_CALL(int, fstat64, (int fd, struct stat64 *facts), (fd, facts), fd, LOOKS)
FILE_CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), fd, CHANGES)
FILE_CALL(int, futimens, (int fd, const struct timespec times[2]), (fd, times), fd, CHANGES)
FILE_CALL(struct dirent *, readdir, (DIR * directory), (directory), dirfd(directory), LOOKS | MOVES)
FILE_CALL(struct dirent64 *, readdir64, (DIR * directory), (directory), dirfd(directory), LOOKS | MOVES)

/* Sockets by name, and other calls that give a number to something new. A name that one thread binds another cannot bind, and can
 * ask for: all of them are one piece of the process's settings. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/state_call.h"
#include "intercept/told.h"
#include "process/untold.h"
#include "reset/changes.h"
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NUMBER_CALL(result, name, parameters, arguments, ...)                                                                    \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        __VA_ARGS__;                                                                                                             \
        bpor_number_given(CALL_SITE);                                                                                            \
        return REAL(name) arguments;                                                                                             \
    }

NUMBER_CALL(int, socket, (int domain, int type, int protocol), (domain, type, protocol), (void)0)
NUMBER_CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags), bpor_told_text(name, CALL_SITE))
NUMBER_CALL(FILE *, tmpfile, (void), (), (void)0)
NUMBER_CALL(FILE *, tmpfile64, (void), (), (void)0)
NUMBER_CALL(int, inotify_init, (void), (), (void)0)
NUMBER_CALL(int, inotify_init1, (int flags), (flags), (void)0)

static void address_use(const struct sockaddr *address, socklen_t bytes, unsigned access, const void *site)
{
    bpor_told_read(address, bytes, site);
    bpor_piece_use(STATE_SETTINGS, ADDRESSES_OF_SOCKETS, access, site);
}

INTERCEPT int bind(int fd, const struct sockaddr *address, socklen_t bytes)
{
    char path[PATH_MAX] = "";
    size_t before = offsetof(struct sockaddr_un, sun_path);
    address_use(address, bytes, LOOKS | CHANGES, CALL_SITE);
    if (address && bytes > before && address->sa_family == AF_UNIX)
        snprintf(path, sizeof path, "%.*s", (int)(bytes - before), ((const struct sockaddr_un *)address)->sun_path);
    if (path[0]) { /* else it is abstract, and goes with the socket */
        bpor_path_use(AT_FDCWD, path, LOOKS | CHANGES, CALL_SITE);
        bpor_changes_name(AT_FDCWD, path);
    }
    return REAL(bind)(fd, address, bytes);
}

INTERCEPT int connect(int fd, const struct sockaddr *address, socklen_t bytes)
{
    address_use(address, bytes, LOOKS | CHANGES, CALL_SITE);
    return REAL(connect)(fd, address, bytes);
}

INTERCEPT int listen(int fd, int waiting)
{
    bpor_piece_use(STATE_SETTINGS, ADDRESSES_OF_SOCKETS, LOOKS | CHANGES, CALL_SITE);
    return REAL(listen)(fd, waiting);
}

#define ADDRESS_CALL(name)                                                                                                       \
    INTERCEPT int name(int fd, struct sockaddr *restrict address, socklen_t *restrict bytes)                                     \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        bpor_piece_use(STATE_SETTINGS, ADDRESSES_OF_SOCKETS, LOOKS, site);                                                       \
        bpor_told_room(address, *bytes, site);                                                                                   \
        bpor_told_fill(bytes, sizeof *bytes, site);                                                                              \
        int error = REAL(name)(fd, address, bytes);                                                                              \
        bpor_told_write(address, error == 0 ? (ssize_t)*bytes : 0, site);                                                        \
        return error;                                                                                                            \
    }

ADDRESS_CALL(getsockname)
ADDRESS_CALL(getpeername)

/* The table of channels and of the descriptors that lead to them (channel.h). Filled by the calls that make, copy and close
 * descriptors, because all eventfds share one inode and the two sockets of a pair do not. */
#define _GNU_SOURCE
#include "model/channel.h"
#include "reset/guard.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>

enum { MAX_CHANNELS = 4096, MEMORY_DEVICES = 1, RANDOM_MINOR = 8, URANDOM_MINOR = 9 };

static struct channel channel[MAX_CHANNELS];
static unsigned channels;
static unsigned before_fork; /* made before the fork point: shared with the template unless renewed */
static struct channel *by_descriptor[MAX_DESCRIPTORS];
static bool childs[MAX_DESCRIPTORS];
static uint32_t made[BPOR_MAX_THREADS]; /* by each thread */

static bool in_range(int fd)
{
    return fd >= 0 && fd < MAX_DESCRIPTORS;
}

static uint64_t name_of(const struct thread *creator)
{
    uint64_t region = bpor_mix(bpor_mix(creator->name, ++made[creator->id]), 4) & 0x3ffffff;
    return (uint64_t)BPOR_CLASS_FILE << 60 | (uint64_t)BPOR_PLACE_HEAP << 58 | region << 32;
}

void bpor_channel_made(enum channel_kind kind, int type, int flags, const int *descriptors, unsigned count, const void *site)
{
    for (unsigned i = 0; i < count; i++)
        if (!in_range(descriptors[i]) || channels == MAX_CHANNELS)
            bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 4096 pipes, eventfds, sockets or descriptors in one execution");
    struct channel *new = &channel[channels++];
    *new =
        (struct channel){.kind = (uint8_t)kind, .type = type, .flags = flags, .name = name_of(bpor_self), .site = (uint64_t)site};
    if (!bpor->forked)
        before_fork = channels;
    for (unsigned i = 0; i < count; i++) {
        by_descriptor[descriptors[i]] = new;
        childs[descriptors[i]] = false;
    }
}

bool bpor_channel_is_renewed(int fd)
{
    if (!in_range(fd) || !bpor_tracks_descriptors())
        return false;
    return by_descriptor[fd] && bpor_channel_can_be_renewed(by_descriptor[fd], fd);
}

void bpor_channels_renew(void)
{
    for (unsigned i = 0; i < before_fork; i++)
        bpor_channel_renew(&channel[i]);
}

/* All executions would have it in common. */
static void refuse_shared(const struct channel *which, int fd)
{
    bpor_guard_give_up(0, "the program uses a pipe, eventfd or socket that it made before the fork point");
    if (bpor->adopted && !bpor_channel_can_be_renewed(which, fd))
        bpor_refuse(which->kind == CHANNEL_EPOLL ? "epoll_create" : "socketpair",
                    "made before the first thread, it is shared by all executions; make it after that");
}

struct channel *bpor_channel_of(int fd)
{
    if (!in_range(fd) || !bpor_tracks_descriptors())
        return NULL;
    struct channel *found = by_descriptor[fd];
    if (bpor->forked && found && found < &channel[before_fork])
        refuse_shared(found, fd);
    return found;
}

void bpor_channel_each(const struct channel *which, void (*visit)(int fd, void *data), void *data)
{
    for (int fd = 0; fd < MAX_DESCRIPTORS; fd++)
        if (by_descriptor[fd] == which)
            visit(fd, data);
}

struct object *bpor_channel_object(struct channel *which)
{
    struct object *object = bpor_object(which, BPOR_CLASS_FILE, FAMILY_CHANNEL);
    if (object->id != which->name) {
        object->id = which->name;
        bpor_emit_object(object, which->site);
    }
    return object;
}

void bpor_descriptor_copied(int from, int to)
{
    struct channel *source = bpor_channel_of(from);
    if (source && !in_range(to))
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 4096 descriptors in one execution");
    if (!in_range(to))
        return;
    by_descriptor[to] = source;
    childs[to] = in_range(from) && childs[from];
}

void bpor_descriptor_closed(int fd)
{
    if (!in_range(fd))
        return;
    by_descriptor[fd] = NULL;
    childs[fd] = false;
}

void bpor_descriptor_belongs_to_child(int fd)
{
    if (in_range(fd))
        childs[fd] = true;
}

void bpor_channels_shared(void)
{
    for (unsigned i = 0; i < channels; i++)
        channel[i].outside = true;
}

bool bpor_nonblocking(int fd)
{
    long flags = sys_call3(SYS_fcntl, fd, F_GETFL, 0);
    return flags >= 0 && flags & O_NONBLOCK;
}

static enum descriptor_nature nature_of_device(int fd, dev_t device)
{
    struct termios terminal;
    if (major(device) == MEMORY_DEVICES && (minor(device) == RANDOM_MINOR || minor(device) == URANDOM_MINOR))
        return DESCRIPTOR_RANDOM;
    return sys_call3(SYS_ioctl, fd, TCGETS, &terminal) == 0 ? DESCRIPTOR_OUTSIDE : DESCRIPTOR_PLAIN;
}

enum descriptor_nature bpor_descriptor_nature(int fd)
{
    struct stat facts;
    if (bpor_channel_of(fd))
        return DESCRIPTOR_CHANNEL;
    if ((in_range(fd) && childs[fd]) || sys_call3(SYS_fstat, fd, &facts, 0) != 0)
        return DESCRIPTOR_PLAIN;
    switch (facts.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK:
    case S_IFLNK:
        return DESCRIPTOR_PLAIN;
    case S_IFCHR:
        return nature_of_device(fd, facts.st_rdev);
    default:
        return DESCRIPTOR_OUTSIDE;
    }
}

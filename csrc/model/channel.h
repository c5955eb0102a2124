/* Channels: what two threads of the target can talk through by descriptor. One object per pipe, eventfd or pair of sockets (both
 * ends), named by who made it and how many that thread had made before: descriptor numbers are re-used, names are not.
 *
 * The kernel keeps the truth (what is in a pipe, whose ends are open): it is asked, and changed by calls that cannot block. */
#ifndef BPOR_CHANNEL_H
#define BPOR_CHANNEL_H
#include "runtime/objects.h"

enum { MAX_DESCRIPTORS = 4096 };
enum channel_kind { CHANNEL_PIPE, CHANNEL_EVENTFD, CHANNEL_SOCKETS, CHANNEL_EPOLL, CHANNEL_TIMER };

struct channel {
    uint8_t kind;
    bool outside; /* another process has it too: what it will do nobody here decides */
    int flags;    /* given to eventfd or socketpair */
    int type;
    int clock; /* of a timer */
    uint64_t name;
    uint64_t site;
    uint64_t rings_at; /* of a timer, in virtual time; 0: it is not set */
    uint64_t interval;
};

/* What a descriptor is to a thread that reads from it or waits for it. */
enum descriptor_nature {
    DESCRIPTOR_PLAIN,   /* never blocks: files, /dev/null */
    DESCRIPTOR_CHANNEL, /* a channel */
    DESCRIPTOR_RANDOM,  /* the system's random source */
    DESCRIPTOR_OUTSIDE  /* sockets, terminals, named pipes: somebody else decides */
};

/* Does this process keep track of its descriptors? From its start on, not only in an execution. */
static inline bool bpor_tracks_descriptors(void)
{
    return bpor != NULL && bpor->attached && bpor_self != NULL;
}

void bpor_channel_made(enum channel_kind kind, int type, int flags, const int *descriptors, unsigned count, const void *site);
struct channel *bpor_channel_of(int fd);
struct object *bpor_channel_object(struct channel *channel);
enum descriptor_nature bpor_descriptor_nature(int fd);
/* Another number for the same descriptor, or none any more. */
void bpor_descriptor_copied(int from, int to);
void bpor_descriptor_closed(int fd);
/* Leads to a process that ends by itself: read for real. */
void bpor_descriptor_belongs_to_child(int fd);
void bpor_channels_shared(void);
bool bpor_nonblocking(int fd);
/* All numbers of a channel. */
void bpor_channel_each(const struct channel *channel, void (*visit)(int fd, void *data), void *data);
/* Is it one of those that are renewed? */
bool bpor_channel_is_renewed(int fd);
/* In an execution that was forked: its channels from before the fork point are its own. */
void bpor_channels_renew(void);
/* channel_renew.c. Only pipes and eventfds can be. */
bool bpor_channel_can_be_renewed(const struct channel *channel, int fd);
void bpor_channel_renew(struct channel *channel);

/* epoll.c: whoever changes a channel changes what those wait for who watch it. */
void bpor_channel_touch(struct operation *op, struct channel *channel, bool write);
void bpor_channel_touch_watchers(struct operation *op, struct channel *channel);
void bpor_epoll_watch(struct channel *epoll, struct channel *watched, int fd);
void bpor_epoll_unwatch(struct channel *epoll, int fd);
/* What it watches, and what the epolls watch that it watches. */
void bpor_epoll_each_watched(const struct channel *epoll, void (*visit)(struct channel *watched, int fd, void *data), void *data);
#endif

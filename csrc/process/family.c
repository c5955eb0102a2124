#define _GNU_SOURCE
#include "process/family.h"
#include "arch/x86_64/page.h"
#include "model/channel.h"
#include "runtime/environment.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/start.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OURS = 3, HIGH_DESCRIPTOR = 200 };

static struct family {
    struct bpor_shared *shared; /* NULL: there is no controller */
    struct bpor_invitation invitation;
    bool inside;   /* is, was, or was started by, the controlled process */
    bool started;  /* has, perhaps, children ... */
    bool had_some; /* ... or had them */
    uint32_t turn; /* of those that make threads, which; 0: it has made none */
} family;
static void __attribute__((noreturn)) stand_still(const char *deed, enum bpor_stranger_kind kind);
static uint8_t *signature; /* 1 in the process that is controlled; the kernel wipes it in every copy */

/* ---- finding the controller ---- */

static int open_at(int controller, int descriptor, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", controller, descriptor);
    return (int)sys_call4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

static bool is_large_enough(int fd)
{
    struct stat facts;
    return sys_call3(SYS_fstat, fd, &facts, 0) == 0 && S_ISREG(facts.st_mode) &&
           (uint64_t)facts.st_size >= sizeof(struct bpor_shared);
}

static struct bpor_shared *map(int fd)
{
    long result = sys_call6(SYS_mmap, 0, sizeof(struct bpor_shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return result < 0 && result > -4096 ? NULL : (struct bpor_shared *)result;
}

/* By the controller's own descriptor: the number that we inherited may be somebody else's by now. */
struct bpor_shared *bpor_family_map(const struct bpor_invitation *invitation)
{
    int fd = open_at(invitation->controller, invitation->controller_shared, O_RDWR);
    struct bpor_shared *shared = NULL;
    if (is_large_enough(fd >= 0 ? fd : invitation->shared))
        shared = map(fd >= 0 ? fd : invitation->shared);
    if (fd >= 0)
        sys_call3(SYS_close, fd, 0, 0);
    return shared;
}

bool bpor_family_find(struct bpor_invitation *invitation, struct bpor_shared **shared)
{
    const char *text = getenv(BPOR_ENVIRONMENT);
    struct bpor_invitation *to = invitation;
    if (text == NULL || sscanf(text, "%d,%d,%d,%d,%d,%d,%d", &to->shared, &to->plan, &to->events, &to->controller,
                               &to->controller_shared, &to->row, &to->inside) != 7)
        return false;
    *shared = bpor_family_map(invitation);
    return *shared != NULL;
}

/* The number that was inherited may be the program's own by now. */
static bool same_file(int one, int other)
{
    struct stat first, second;
    return sys_call3(SYS_fstat, one, &first, 0) == 0 && sys_call3(SYS_fstat, other, &second, 0) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

int bpor_family_open(unsigned descriptor, int flags, int inherited)
{
    int low = open_at((int)family.shared->config.controller, (int)descriptor, flags);
    int high = low < 0 ? low : (int)sys_call3(SYS_fcntl, low, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (low >= 0 && high >= 0)
        sys_call3(SYS_close, low, 0, 0);
    if (high >= 0 && same_file(high, inherited))
        sys_call3(SYS_close, inherited, 0, 0); /* else it would be taken for one that the program shares with others */
    return high >= 0 ? high : low >= 0 ? low : inherited;
}

void bpor_family_enter(struct bpor_shared *shared, const struct bpor_invitation *invitation)
{
    family = (struct family){.shared = shared, .invitation = *invitation, .inside = invitation->inside};
    if (invitation->row >= 0 && invitation->row < BPOR_STARTED)
        __atomic_store_n(&shared->started[invitation->row].taken, 0, __ATOMIC_RELEASE);
    pthread_atfork(NULL, bpor_family_shares_channels, bpor_family_copied); /* libc's own forks too, as in daemon() */
}

bool bpor_family_is_watched(void)
{
    return family.shared != NULL;
}

/* ---- who is who ---- */

void bpor_family_name(char *name, size_t bytes)
{
    char path[BPOR_PATH_BYTES];
    long length = sys_call4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(path, '/');
    snprintf(name, bytes, "%s[%d]", slash ? slash + 1 : path, sys_getpid());
}

bool bpor_family_claim(void)
{
    struct bpor_shared *shared = family.shared;
    uint32_t nobody = 0;
    if (!__atomic_compare_exchange_n(&shared->claimed, &nobody, (uint32_t)sys_getpid(), false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return false;
    family.inside = true;
    bpor_family_name(shared->claimed_name, sizeof shared->claimed_name);
    long length = sys_call4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", shared->claimed_path, sizeof shared->claimed_path - 1);
    shared->claimed_path[length > 0 ? length : 0] = '\0';
    return true;
}

/* ---- turns ---- */

enum bpor_turn bpor_family_take_turn(void)
{
    struct bpor_turns *turns = &family.shared->turns;
    const struct bpor_config *config = &family.shared->config;
    uint32_t wanted = config->process ? config->process : 1, nobody = 0;
    if (turns->taken + 1 != wanted && !config->family)
        return BPOR_TURN_OF_ANOTHER;
    if (!__atomic_compare_exchange_n(&turns->active, &nobody, (uint32_t)sys_getpid(), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return BPOR_TURN_OF_ANOTHER;
    bpor_family_name(turns->active_name, sizeof turns->active_name);
    family.turn = ++turns->taken;
    family.inside = true;
    if (family.turn != wanted)
        return BPOR_TURN_UNHEARD;
    return bpor_family_claim() ? BPOR_TURN_CONTROLLED : BPOR_TURN_OF_ANOTHER;
}

/* Kernel threads need no pool of a size that only the controller could find out. */
struct bpor_shared *bpor_family_own_shared(void)
{
    struct bpor_shared *own = bpor_reserve_kept(sizeof *own);
    memcpy(own, family.shared, offsetof(struct bpor_shared, event));
    own->config.search_bytes = 0;
    own->config.carrier = BPOR_CARRIER_THREADS;
    return own;
}

static void note_status(int status)
{
    struct bpor_turns *turns = &family.shared->turns;
    if (status == 0 || turns->failed)
        return;
    turns->status = (uint32_t)status;
    turns->failed = family.turn;
    memcpy(turns->failed_name, turns->active_name, sizeof turns->failed_name);
}

void bpor_family_turn_over(enum bpor_outcome outcome, int code, const char *message)
{
    bool controlled = family.shared->claimed == (uint32_t)sys_getpid();
    if (outcome != BPOR_OUTCOME_EXIT) {
        char deed[sizeof family.shared->stranger.deed];
        snprintf(deed, sizeof deed, "process %u of those that make threads, fails in its first schedule%s%.160s", family.turn,
                 *message ? ": " : "", message);
        stand_still(deed, BPOR_STRANGER_FAILS);
    }
    if (!controlled)
        note_status(code & 0xff);
    __atomic_store_n(&family.shared->turns.active, 0, __ATOMIC_RELEASE);
    sys_exit_group(code);
}

/* ---- copies and children ---- */

void bpor_family_shares_channels(void)
{
    family.started = family.had_some = true;
    if (bpor_tracks_descriptors())
        bpor_channels_shared();
}

void bpor_family_copied(void)
{
    if (bpor == NULL || !bpor->attached)
        return;
    sys_call3(SYS_close, bpor->plan_fd, 0, 0);
    sys_call3(SYS_close, bpor->event_fd, 0, 0);
    bpor->forked = bpor->attached = false;
    bpor_self = NULL;
}

bool bpor_family_has_children(void)
{
    siginfo_t info;
    return sys_call6(SYS_waitid, P_ALL, 0, (long)&info, WEXITED | WNOHANG | WNOWAIT | __WALL, 0, 0) != -ECHILD;
}

bool bpor_family_had_children(void)
{
    return family.had_some;
}

bool bpor_family_child_lives(void)
{
    siginfo_t info = {0};
    if (family.started && sys_call6(SYS_waitid, P_ALL, 0, (long)&info, WEXITED | WNOHANG | WNOWAIT | __WALL, 0, 0) == -ECHILD)
        family.started = false;
    return family.started && info.si_pid == 0;
}

void bpor_family_sign(void)
{
    if (signature == NULL) {
        signature = bpor_reserve_kept(1);
        sys_call3(SYS_madvise, signature, PAGE, MADV_WIPEONFORK);
    }
    *signature = 1;
}

void bpor_family_check(void)
{
    if (!*signature)
        bpor_family_unseen("is a copy that was made by a bare system call");
}

/* Whoever waits for the execution ends it; this process must not go on in the meantime. */
static void __attribute__((noreturn)) stand_still(const char *deed, enum bpor_stranger_kind kind)
{
    struct bpor_stranger *stranger = &family.shared->stranger;
    uint32_t none = BPOR_STRANGER_NONE;
    if (__atomic_compare_exchange_n(&stranger->state, &none, BPOR_STRANGER_COMES, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        stranger->kind = kind;
        bpor_family_name(stranger->name, sizeof stranger->name);
        strncpy(stranger->deed, deed, sizeof stranger->deed - 1);
        __atomic_store_n(&stranger->state, BPOR_STRANGER_THERE, __ATOMIC_RELEASE);
    }
    uint32_t watcher = family.shared->watcher, execution = family.shared->child;
    if (watcher == 0)
        sys_exit_group(99);
    sys_call3(SYS_kill, watcher, SIGCHLD, 0);
    if (!family.shared->config.family && execution)
        sys_call3(SYS_kill, execution, SIGKILL, 0); /* the template waits for nothing else */
    for (;;)
        sys_call3(SYS_pause, 0, 0, 0);
}

void bpor_family_makes_threads(void)
{
    if (family.inside || family.shared->config.any_program)
        stand_still("makes threads", BPOR_STRANGER_MAKES_THREADS);
}

void bpor_family_unseen(const char *deed)
{
    stand_still(deed, BPOR_STRANGER_UNSEEN);
}

/* ---- programs that are started ---- */

int bpor_family_start(const char *name)
{
    family.started = family.had_some = true;
    struct bpor_started *row = family.shared->started;
    for (int i = 0; i < BPOR_STARTED; i++) {
        uint32_t nobody = 0;
        if (__atomic_compare_exchange_n(&row[i].taken, &nobody, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            strncpy(row[i].name, name ? name : "", sizeof row[i].name - 1);
            return i;
        }
    }
    __atomic_store_n(&family.shared->started_unseen, 1, __ATOMIC_RELEASE);
    return NOT_STARTED;
}

void bpor_family_not_started(int row)
{
    if (row != NOT_STARTED)
        __atomic_store_n(&family.shared->started[row].taken, 0, __ATOMIC_RELEASE);
}

void bpor_family_becomes(bool another)
{
    if (bpor_controlled())
        family.shared->became = another;
}

size_t bpor_family_room(char *const *environment)
{
    size_t count = 0;
    while (environment && environment[count])
        count++;
    return count + OURS + 1;
}

static const char *value_of(const char *variable, const char *name)
{
    size_t length = strlen(name);
    return strncmp(variable, name, length) == 0 && variable[length] == '=' ? variable + length + 1 : NULL;
}

char **bpor_family_environment(char *const *environment, int row, char **room, struct bpor_letter *letter)
{
    const struct bpor_config *config = &family.shared->config;
    const struct bpor_invitation *own = &family.invitation;
    const char *bind = config->bound_now ? BPOR_BIND_NOW "=1" : BPOR_BIND_LAZILY "=1", *preload = NULL;
    char **next = room;
    for (; environment && *environment; environment++) {
        const char *given = value_of(*environment, "LD_PRELOAD");
        preload = given ? given : preload;
        if (!given && !value_of(*environment, BPOR_ENVIRONMENT) && !value_of(*environment, BPOR_BIND_NOW))
            *next++ = *environment;
    }
    bool users = preload && *preload;
    snprintf(letter->invitation, sizeof letter->invitation, BPOR_ENVIRONMENT "=" BPOR_DESCRIPTORS, own->shared, own->plan,
             own->events, own->controller, own->controller_shared, row, (int)family.inside);
    snprintf(letter->preload, sizeof letter->preload, "LD_PRELOAD=%s%s%s", config->library, users ? ":" : "",
             users ? preload : "");
    *next++ = letter->invitation;
    *next++ = letter->preload;
    *next++ = (char *)bind;
    *next = NULL;
    return room;
}

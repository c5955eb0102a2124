/* Pieces of the file system as the kernel identifies them: contents by device, inode and the inode's generation, because the
 * number of a deleted file is given to the next one; names by their directory; offsets of open files by descriptor. They only
 * tell which threads share something: inode numbers differ between executions, so the operation itself has one object for all
 * files. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/told.h"
#include "model/channel.h"
#include "process/asked.h"
#include "process/untold.h"
#include "reset/guard_files.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* Counts how often a descriptor number was freed so far: the next file that gets the number is another piece of state. */
static uint32_t *given_up;

/* Where a path is followed: stacks of threads may be small. */
static struct way {
    char path[PATH_MAX];
    char target[PATH_MAX];
} * way;

void bpor_file_use_reserve(void)
{
    given_up = bpor_reserve(MAX_DESCRIPTORS * sizeof *given_up);
    way = bpor_reserve(sizeof *way);
    bpor_kernel_path_reserve();
    bpor_asked_reserve();
}

enum piece_kind { CONTENTS = 1, NAME, PLACE, OPTIONS, LOCKS, ANY };

static uint64_t piece(enum piece_kind kind, uint64_t first, uint64_t second)
{
    return bpor_mix(bpor_mix(kind, first), second);
}

static uint64_t hash_bytes(const char *bytes, size_t count)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < count; i++)
        hash = bpor_mix(hash, (unsigned char)bytes[i]);
    return hash;
}

/* A handle tells one inode from the next of its number, where the file system makes any. */
static uint64_t contents(const struct stat *facts, int directory, const char *path, int flags)
{
    _Alignas(struct file_handle) char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
    struct file_handle *handle = (struct file_handle *)room;
    int mount;
    handle->handle_bytes = MAX_HANDLE_SZ;
    bool made = sys_call6(SYS_name_to_handle_at, directory, (long)path, (long)handle, (long)&mount, flags, 0) == 0;
    uint64_t which = made ? hash_bytes((const char *)handle->f_handle, handle->handle_bytes) : 0;
    return piece(CONTENTS, facts->st_dev, bpor_mix(facts->st_ino, which));
}

static bool is_file(const struct stat *facts)
{
    return S_ISREG(facts->st_mode) || S_ISDIR(facts->st_mode);
}

static uint64_t descriptor_piece(int fd, uint32_t before)
{
    uint32_t times = (unsigned)fd < MAX_DESCRIPTORS ? given_up[fd] : 0;
    return piece(PLACE, (uint64_t)fd, times < before ? 0 : times - before);
}

/* A use of a closed descriptor counts as a use of what it last referred to. */
static void place_use(int fd, const void *site)
{
    struct stat facts;
    bool gone = sys_call3(SYS_fstat, fd, &facts, 0) == -EBADF;
    bpor_state_note(STATE_DESCRIPTORS, descriptor_piece(fd, gone), LOOKS);
    if (gone)
        bpor_number_was_free();
    bpor_states_step((struct state_use){STATE_DESCRIPTORS, LOOKS}, (struct state_use){STATE_NUMBERS, LOOKS}, site);
}

void bpor_descriptor_redirected(int fd, const void *site)
{
    if (fd < 0 || !bpor_process_state_matters())
        return;
    bpor_state_note(STATE_DESCRIPTORS, descriptor_piece(fd, 0), CHANGES);
    bpor_states_step((struct state_use){STATE_DESCRIPTORS, CHANGES}, (struct state_use){STATE_NUMBERS, CHANGES}, site);
}

void bpor_descriptor_given_up(int fd, const void *site)
{
    bpor_descriptor_redirected(fd, site);
    if ((unsigned)fd < MAX_DESCRIPTORS && bpor_process_state_matters())
        given_up[fd]++;
}

/* All numbers are one piece: which of them is the next to be given depends on them all. */
void bpor_number_was_free(void)
{
    if (bpor_process_state_matters())
        bpor_state_note(STATE_NUMBERS, 0, CHANGES);
}

/* Who compares two of them without using one that leads nowhere tells nobody. */
static void note_number(void)
{
    bpor_state_note(STATE_NUMBERS, 0, LOOKS);
    if (bpor_state_has_company(STATE_NUMBERS, 0))
        bpor_untold("nobody compares numbers of descriptors (--process-state numbers)");
}

void bpor_number_given(const void *site)
{
    if (!bpor_process_state_matters())
        return;
    note_number();
    bpor_state_step(STATE_NUMBERS, CHANGES, site);
}

uint64_t bpor_contents_behind(int fd)
{
    struct stat facts;
    if (fd < 0 || bpor_guard_is_output(fd) || sys_call3(SYS_fstat, fd, &facts, 0) != 0 || !is_file(&facts))
        return 0;
    return contents(&facts, fd, "", AT_EMPTY_PATH);
}

/* Whoever walks through directories sees what others change anywhere. */
static void note_change(void)
{
    bpor_state_note(STATE_FILES, piece(ANY, 0, 0), CHANGES);
}

void bpor_walk_use(const char *said, const void *site)
{
    if (!bpor_process_state_matters())
        return;
    bpor_untold(said);
    bpor_state_note(STATE_DIRECTORY, 0, LOOKS);
    bpor_state_note(STATE_FILES, piece(ANY, 0, 0), LOOKS);
    bpor_state_step(STATE_DIRECTORY, LOOKS, site);
    bpor_state_step(STATE_FILES, LOOKS, site);
}

/* A thread that reads a file also observes what streams have written to it, or will have written when they are flushed. */
static void note_contents(uint64_t file, unsigned access)
{
    bpor_state_note(STATE_FILES, file, access & (LOOKS | CHANGES));
    bpor_state_note(STATE_STREAMS, file, access & LOOKS);
    if (access & CHANGES)
        note_change();
}

void bpor_file_use(int fd, unsigned access, const void *site)
{
    if (!bpor_process_state_matters())
        return;
    place_use(fd, site); /* may be a step, behind which the descriptor leads elsewhere */
    uint64_t file = bpor_contents_behind(fd);
    if (file == 0)
        return;
    note_contents(file, access);
    if (access & MOVES) /* the position of a writer is visible only to a thread that reads it */
        bpor_state_note(STATE_FILES, piece(PLACE, (uint64_t)fd, 0), (access & LOOKS) | CHANGES);
    bpor_states_step((struct state_use){STATE_FILES, access & MOVES ? CHANGES : access}, (struct state_use){STATE_NUMBERS, LOOKS},
                     site);
}

/* 0: there is none. */
static uint64_t directory_of(int directory, const char *path)
{
    char parent[PATH_MAX] = ".";
    struct stat facts;
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof parent)
        return 0;
    if (slash) {
        memcpy(parent, path, length);
        parent[length] = '\0';
    }
    if (sys_call4(SYS_newfstatat, directory, parent, &facts, 0) != 0)
        return 0;
    return contents(&facts, directory, parent, AT_SYMLINK_FOLLOW);
}

/* The link that ends the path is replaced by what it leads to. False: there is none, or no room. */
static bool follow(int directory, size_t start, size_t end)
{
    char behind = way->path[end];
    way->path[end] = '\0';
    long bytes = sys_call4(SYS_readlinkat, directory, way->path, way->target, sizeof way->target);
    way->path[end] = behind;
    size_t head = bytes > 0 && way->target[0] == '/' ? 0 : start, rest = strlen(way->path + end) + 1;
    if (bytes <= 0 || head + (size_t)bytes + rest > sizeof way->path)
        return false;
    memmove(way->path + head + bytes, way->path + end, rest);
    memcpy(way->path + head, way->target, (size_t)bytes);
    return true;
}

static void note_name(int directory, size_t start, size_t end)
{
    char behind = way->path[end];
    way->path[end] = '\0';
    uint64_t home = directory_of(directory, way->path);
    if (home != 0)
        bpor_state_note(STATE_FILES, piece(NAME, home, hash_bytes(way->path + start, end - start)), LOOKS);
    way->path[end] = behind;
}

/* The names of directories and links that lead to a file: whoever changes one of them changes what the path means. */
static void note_way(int directory, const char *path)
{
    enum { MOST_LINKS = 8 };
    size_t length = strlen(path);
    if (length >= sizeof way->path || !bpor_state_watched(STATE_FILES))
        return;
    memcpy(way->path, path, length + 1);
    for (size_t at = 0, links = 0; way->path[at];) {
        size_t start = at + strspn(way->path + at, "/"), end = start + strcspn(way->path + start, "/");
        if (start == end)
            return;
        note_name(directory, start, end);
        bool followed = links < MOST_LINKS && follow(directory, start, end);
        links += followed;
        at = !followed ? end : way->target[0] == '/' ? 0 : start;
    }
}

static void note_path(int directory, const char *path, unsigned access)
{
    note_way(directory, path);
    struct stat facts;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *last = memrchr(path, '/', length);
    size_t before = last && last > path ? (size_t)(last - path) + 1 : 0;
    if (directory == AT_FDCWD && path[0] != '/')
        bpor_state_note(STATE_DIRECTORY, 0, LOOKS);
    uint64_t home = directory_of(directory, path);
    if (home == 0)
        return;
    bpor_state_note(STATE_FILES, piece(NAME, home, hash_bytes(path + before, length - before)), access);
    if (access & CHANGES) {
        bpor_state_note(STATE_FILES, home, CHANGES);
        note_change();
    }
    if (sys_call4(SYS_newfstatat, directory, path, &facts, 0) == 0 && is_file(&facts))
        note_contents(contents(&facts, directory, path, AT_SYMLINK_FOLLOW), access);
}

static void directory_step(int directory, const char *path, const void *site)
{
    if (directory == AT_FDCWD && path[0] != '/')
        bpor_state_step(STATE_DIRECTORY, LOOKS, site);
}

static void path_step(int directory, const char *path, unsigned access, const void *site)
{
    directory_step(directory, path, site);
    bpor_state_step(STATE_FILES, access, site);
}

void bpor_path_use(int directory, const char *path, unsigned access, const void *site)
{
    bpor_told_text(path, site);
    bpor_asked_note(directory, path, access & CHANGES ? ASKED_WHETHER : ASKED_FOR);
    if (path == NULL || !bpor_process_state_matters())
        return;
    note_path(directory, path, access);
    path_step(directory, path, access, site);
}

static void note_opening(int directory, const char *path, unsigned access)
{
    if (access & CHANGES)
        bpor_asked_note(directory, path, access & DEPENDS ? ASKED_WHETHER : ASKED_TO_MAKE);
    if (!(access & CHANGES) || access & KEEPS)
        bpor_asked_note(directory, path, ASKED_FOR);
}

unsigned bpor_opening_access(int flags)
{
    bool makes = flags & O_CREAT, alone = makes && flags & O_EXCL, empties = flags & O_TRUNC;
    if (alone || (empties && !makes))
        return LOOKS | CHANGES | DEPENDS;
    return empties ? LOOKS | CHANGES : makes ? LOOKS | CHANGES | KEEPS : LOOKS;
}

/* What stands there of the process (maps, status) follows what is mapped. */
static bool shows_mappings(const char *path)
{
    return strncmp(path, "/proc/self/", 11) == 0 || strncmp(path, "/proc/thread-self/", 18) == 0;
}

static bool shows_descriptors(const char *path)
{
    return strncmp(path, "/dev/fd", 7) == 0 || (strncmp(path, "/proc/", 6) == 0 && strstr(path, "/fd"));
}

void bpor_opening_use(int directory, const char *path, unsigned access, const void *site)
{
    bpor_told_text(path, site);
    note_opening(directory, path, access);
    access &= ~(unsigned)(KEEPS | DEPENDS);
    if (path == NULL || !bpor_process_state_matters())
        return;
    if (shows_mappings(path))
        bpor_piece_use(STATE_SETTINGS, ADDRESS_SPACE, LOOKS, site);
    if (shows_descriptors(path))
        bpor_number_was_free(); /* whoever lists them sees which are */
    note_path(directory, path, access);
    note_number();
    directory_step(directory, path, site);
    bpor_states_step((struct state_use){STATE_FILES, access}, (struct state_use){STATE_NUMBERS, CHANGES}, site);
}

void bpor_two_paths_use(int from_directory, const char *from, int to_directory, const char *to, const void *site)
{
    bpor_told_text(from, site);
    bpor_told_text(to, site);
    bpor_asked_note(from_directory, from, ASKED_FOR);
    bpor_asked_note(to_directory, to, ASKED_WHETHER);
    if (from == NULL || to == NULL || !bpor_process_state_matters())
        return;
    note_path(from_directory, from, LOOKS | CHANGES);
    note_path(to_directory, to, LOOKS | CHANGES);
    path_step(from_directory, from, CHANGES, site);
}

void bpor_descriptor_use(int fd, unsigned access, const void *site)
{
    if (!bpor_guard_is_output(fd))
        bpor_piece_use(STATE_DESCRIPTORS, piece(OPTIONS, (uint64_t)fd, 0), access, site);
}

void bpor_file_lock_use(int fd, unsigned access, const void *site)
{
    if (bpor_process_state_matters())
        bpor_piece_use(STATE_DESCRIPTORS, piece(LOCKS, bpor_contents_behind(fd), 0), access, site);
}

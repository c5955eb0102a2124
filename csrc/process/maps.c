/* One line of maps: "start-end perms offset dev inode   path". */
#define _GNU_SOURCE
#include "process/maps.h"
#include "runtime/reserve.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>

static const char *number(const char *at, unsigned base, uintptr_t *value)
{
    for (*value = 0;; at++) {
        unsigned digit = *at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
                         : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a' + 10)
                                                    : 16;
        if (digit >= base)
            return at;
        *value = *value * base + digit;
    }
}

static const char *skip_field(const char *at)
{
    while (*at != ' ' && *at != '\n' && *at)
        at++;
    while (*at == ' ')
        at++;
    return at;
}

static bool starts_with(const char *text, const char *prefix)
{
    while (*prefix)
        if (*text++ != *prefix++)
            return false;
    return true;
}

static bool starts_with_any(const char *text, const char *const *prefixes)
{
    while (*prefixes)
        if (starts_with(text, *prefixes++))
            return true;
    return false;
}

static enum map_path kind_of_path(const char *path)
{
    static const char *const memory[] = {"/dev/zero", "/memfd:", "/SYSV", "/dev/shm/", "/dev/hugepages/", "/anon_hugepage", NULL};
    static const char *const other[] = {"/dev/", "/proc/", "/sys/", "/[", NULL};
    if (starts_with_any(path, memory))
        return MAP_OF_MEMORY;
    return *path == '/' && !starts_with_any(path, other) ? MAP_OF_FILE : MAP_OF_OTHER;
}

static int protection_of(const char *letters)
{
    return (letters[0] == 'r' ? PROT_READ : 0) | (letters[1] == 'w' ? PROT_WRITE : 0) | (letters[2] == 'x' ? PROT_EXEC : 0);
}

static const char *parse_device(const char *at, uintptr_t *device)
{
    uintptr_t major, minor;
    at = number(number(at, 16, &major) + 1, 16, &minor);
    *device = major << 32 | minor;
    return skip_field(at);
}

static const char *parse_line(const char *at, struct map *map)
{
    at = number(at, 16, &map->start) + 1;
    at = number(at, 16, &map->end) + 1;
    map->protection = protection_of(at);
    map->writable = map->protection & PROT_WRITE;
    map->shared = at[3] == 's';
    at = skip_field(number(skip_field(at), 16, &map->offset));
    at = skip_field(number(parse_device(at, &map->device), 10, &map->inode));
    map->file_backed = map->inode != 0;
    map->path = kind_of_path(at);
    map->special = starts_with(at, "[v");
    map->stack = starts_with(at, "[stack]");
    map->ours = starts_with(at, "/memfd:bpor-");
    while (*at && *at != '\n')
        at++;
    return *at ? at + 1 : at;
}

bool bpor_maps_read(struct maps *maps)
{
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    long total = 0, got;
    if (fd < 0)
        return false;
    while ((got = sys_read(fd, maps->text + total, (unsigned long)(MAPS_BYTES - 1 - total))) > 0)
        total += got;
    sys_call3(SYS_close, fd, 0, 0);
    maps->text[total] = '\0';
    maps->count = 0;
    for (const char *at = maps->text; *at && maps->count < MAX_MAPS; maps->count++)
        at = parse_line(at, &maps->map[maps->count]);
    return got == 0 && total < MAPS_BYTES - 1 && maps->count < MAX_MAPS;
}

static struct maps *now;

void bpor_maps_reserve(void)
{
    now = bpor_reserve_kept(sizeof *now);
}

/* A test runner looks, too, which is not under control: it has none yet. */
const struct maps *bpor_maps_now(void)
{
    if (now == NULL)
        bpor_maps_reserve();
    return bpor_maps_read(now) ? now : NULL;
}

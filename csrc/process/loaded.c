/* The dynamic loader counts the modules that it has added and removed, so an execution that loads nothing costs two comparisons.
 */
#define _GNU_SOURCE
#include "process/loaded.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <link.h>
#include <string.h>

static unsigned long long added, removed; /* as of the last look; an execution's are undone with it */

static int read_counts(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    memcpy(data, info, sizeof *info);
    return 1;
}

static bool is_listed(const char *path, size_t length)
{
    for (const char *at = bpor->shared->loaded; (at = strstr(at, path)); at++)
        if (at[length] == '\n' && (at == bpor->shared->loaded || at[-1] == '\n'))
            return true;
    return false;
}

/* A module that does not fit into the table is treated like one that was unloaded. */
static void list(const char *path)
{
    char *text = bpor->shared->loaded;
    size_t used = strlen(text), length = strlen(path);
    if (length == 0 || is_listed(path, length))
        return;
    if (used + length + 2 > sizeof bpor->shared->loaded) {
        bpor->shared->unloaded = 1;
        return;
    }
    memcpy(text + used, path, length);
    memcpy(text + used + length, "\n", 2);
}

static int list_module(struct dl_phdr_info *info, size_t size, void *data)
{
    const char **program = data;
    (void)size;
    list(info->dlpi_name[0] ? info->dlpi_name : *program); /* the program itself comes first, without a name */
    *program = "";
    return 0;
}

void bpor_loaded_note(void)
{
    struct dl_phdr_info now = {0};
    dl_iterate_phdr(read_counts, &now);
    if (now.dlpi_adds == added && now.dlpi_subs == removed)
        return;
    if (now.dlpi_subs != removed && bpor->forked)
        bpor->shared->unloaded = 1;
    added = now.dlpi_adds;
    removed = now.dlpi_subs;
    char path[BPOR_PATH_BYTES] = "";
    const char *program = path;
    sys_call3(SYS_readlink, "/proc/self/exe", path, sizeof path - 1);
    dl_iterate_phdr(list_module, &program);
}

/* Of "start-end rwxp offset device inode   path": executable, and no file that a loader could have mapped. */
static bool is_made(const char *line)
{
    unsigned field = 0;
    const char *at = strchr(line, ' ');
    if (!at || at[3] != 'x')
        return false;
    for (; field < 4 && at; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return true; /* no path at all */
    at += strspn(at, " ");
    return *at == '\0' || strncmp(at, "/memfd:", 7) == 0 || strncmp(at, "[heap", 5) == 0 || strncmp(at, "[stack", 6) == 0 ||
           strncmp(at, "[anon", 5) == 0;
}

static bool made_early; /* before control could begin */

void bpor_loaded_made_code(void)
{
    if (bpor)
        bpor->shared->made_code = 1;
    else
        made_early = true;
}

void bpor_loaded_look_for_made_code(void)
{
    char text[4096 + 256];
    size_t kept = 0;
    if (made_early)
        bpor->shared->made_code = 1;
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return;
    for (long got; (got = sys_call3(SYS_read, fd, text + kept, sizeof text - 1 - kept)) > 0;) {
        char *line = text, *end;
        text[kept + (size_t)got] = '\0';
        for (; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            if (is_made(line))
                bpor->shared->made_code = 1;
        }
        kept = strlen(line);
        if (kept > sizeof text / 2)
            kept = 0; /* longer than any path */
        memmove(text, line, kept);
    }
    sys_call3(SYS_close, fd, 0, 0);
}

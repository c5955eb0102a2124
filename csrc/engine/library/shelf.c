/* The file of best-first search where there is no controller. It is unlinked as soon as it is open, so that it disappears with
 * the process. */
#define _GNU_SOURCE
#include "engine/library/engine.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* /tmp is memory on many machines. */
static int opened(void)
{
    const char *directory = getenv("TMPDIR");
    char name[4096];
    snprintf(name, sizeof name, "%s/bpor-fringe-XXXXXX", directory && directory[0] ? directory : "/var/tmp");
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static bool transfer(int fd, uint32_t request, uint8_t *page, uint64_t bytes, uint64_t offset)
{
    for (uint64_t done = 0; done < bytes;) {
        ssize_t count = request == BPOR_SHELF_READ ? pread(fd, page + done, bytes - done, (off_t)(offset + done))
                                                   : pwrite(fd, page + done, bytes - done, (off_t)(offset + done));
        if (count < 0 && errno != EINTR)
            return false;
        if (count == 0)
            return true; /* behind the end: nothing lies there */
        done += count > 0 ? (uint64_t)count : 0;
    }
    return true;
}

void engine_shelve(struct bpor_engine *engine)
{
    struct open *open = &engine->tree.open;
    const struct open_shelf *shelf = &open->shelf;
    if (!engine->shelf)
        engine->shelf = opened() + 1;
    bool done = engine->shelf > 0;
    if (done && shelf->request == BPOR_SHELF_DROP)
        fallocate(engine->shelf - 1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)shelf->offset, (off_t)shelf->bytes);
    else if (done)
        done = transfer(engine->shelf - 1, shelf->request, open->page, shelf->bytes, shelf->offset);
    if (done)
        open_shelf_answered(&engine->tree);
    else
        engine_fail(engine, BPOR_ENGINE_FULL, "the open choices that do not fit into memory cannot be kept on disk: %s",
                    strerror(errno));
}

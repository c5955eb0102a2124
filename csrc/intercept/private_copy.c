#define _GNU_SOURCE
#include "intercept/private_copy.h"
#include "process/process_state.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"

static bool others_look(const void *buffer, size_t bytes, const void *site)
{
    return buffer && bytes && bpor_controlled() && bpor_listens(site) && bpor_visible_place((uintptr_t)buffer, bytes);
}

/* By the kernel: memory that is protected meanwhile is an error to the call, and no crash. */
static bool move(void *to, const void *from, size_t bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)from, bytes};
    return sys_call6(SYS_process_vm_readv, sys_getpid(), (long)&local, 1, (long)&remote, 1, 0) == (long)bytes;
}

void *bpor_copy_room(struct private_copy *copy, void *buffer, size_t bytes, const void *site)
{
    copy->used = bytes <= sizeof copy->bytes && others_look(buffer, bytes, site);
    if (!copy->used)
        bpor_told_room(buffer, bytes, site);
    return copy->used ? copy->bytes : buffer;
}

ssize_t bpor_copy_deliver(struct private_copy *copy, void *buffer, ssize_t answer, const void *site)
{
    if (!copy->used || answer <= 0) {
        bpor_told_write(buffer, answer, site);
        return answer;
    }
    bpor_plain_access(buffer, (size_t)answer, true, site);
    if (move(buffer, copy->bytes, (size_t)answer))
        return answer;
    errno = EFAULT;
    return -1;
}

const void *bpor_copy_taken(struct private_copy *copy, const void *buffer, size_t bytes, const void *site)
{
    if (bytes > sizeof copy->bytes || !others_look(buffer, bytes, site)) {
        bpor_told_read(buffer, bytes, site);
        return buffer;
    }
    bpor_plain_access(buffer, bytes, false, site);
    return move(copy->bytes, buffer, bytes) ? copy->bytes : buffer;
}

/* A call site is identified by its module and its offset there, so that it means the same wherever the module is loaded. */
#define _GNU_SOURCE
#include "runtime/orders.h"
#include <link.h>
#include <string.h>

/* Where the modules lie; 0: not loaded. The main program has no name. */
static uintptr_t base[BPOR_ORDERS];

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int find_base(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct bpor_config *config = data;
    (void)size;
    for (unsigned i = 0; i < config->order_count; i++)
        if (strcmp(name_of(info->dlpi_name), config->order[i].module) == 0)
            base[i] = info->dlpi_addr;
    return 0;
}

/* What is asked for at a call site, or NULL. */
static const struct bpor_order_at *asked(const void *site)
{
    const struct bpor_config *config = &bpor->shared->config;
    memset(base, 0, sizeof base);
    dl_iterate_phdr(find_base, (void *)config);
    for (unsigned i = 0; i < config->order_count; i++)
        if ((uintptr_t)site - base[i] == config->order[i].offset)
            return &config->order[i];
    return NULL;
}

void bpor_orders_change(struct memory_access *access, const void *site)
{
    const struct bpor_order_at *at = asked(site);
    if (at && at->order != BPOR_ORDER_KEPT)
        access->order = (int)at->order;
    if (at && at->failure != BPOR_ORDER_KEPT)
        access->failure_order = (int)at->failure;
}

int bpor_orders_fence(int order, const void *site)
{
    const struct bpor_order_at *at = asked(site);
    if (at == NULL || at->order == BPOR_ORDER_KEPT)
        return order;
    return at->order == BPOR_ORDER_NONE ? -1 : (int)at->order;
}

/* The file that holds bundles. Memory holds the offsets of the bundles and one page of the file: the one last written or last
 * read. This code makes no system call. The controller or the library, whichever runs the search, reads and writes the file,
 * because a program could close our descriptor, and because a full disk has to be reported to the user. */
#include "engine/tree.h"

enum { READ_AT_ONCE = 1 << 18, ALIGNED = 4096 / SHELF_GRAIN };

void shelf_write(struct tree *tree, uint64_t bytes, uint32_t bundles)
{
    struct open *open = &tree->open;
    struct open_shelf *shelf = &open->shelf;
    uint32_t grains = ((uint32_t)(bytes / SHELF_GRAIN) + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (shelf->sheaves == MAX_SHEAVES || shelf->end + grains < shelf->end) {
        tree_give_up(tree, "open choices, even on disk,");
        return;
    }
    open->sheaf[shelf->sheaves++] = (struct open_sheaf){shelf->end, grains, bundles};
    shelf->offset = (uint64_t)shelf->end * SHELF_GRAIN;
    shelf->bytes = bytes;
    shelf->request = BPOR_SHELF_WRITE;
    shelf->end += grains;
    shelf->bundles += bundles;
}

/* What was written together with a bundle. */
static struct open_sheaf *sheaf_of(struct open *open, uint32_t grain)
{
    uint32_t low = 0, high = open->shelf.sheaves;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (open->sheaf[middle].grain <= grain)
            low = middle;
        else
            high = middle;
    }
    return &open->sheaf[low];
}

/* A bundle is in memory again. */
static void forget(struct open *open, uint32_t grain)
{
    struct open_shelf *shelf = &open->shelf;
    struct open_sheaf *sheaf = sheaf_of(open, grain);
    if (--shelf->bundles == 0)
        shelf->end = shelf->sheaves = 0;
    if (--sheaf->bundles)
        return;
    shelf->offset = (uint64_t)sheaf->grain * SHELF_GRAIN;
    shelf->bytes = (uint64_t)sheaf->grains * SHELF_GRAIN;
    shelf->request = BPOR_SHELF_DROP;
}

bool shelf_take(struct tree *tree, const struct open_choice *bundle)
{
    struct open *open = &tree->open;
    struct open_shelf *shelf = &open->shelf;
    uint64_t begin = (uint64_t)bundle->grain * SHELF_GRAIN, bytes = (uint64_t)(bundle->thread >> 8) * SHELF_GRAIN;
    if (bytes == 0 || bytes > SHELF_BYTES || begin + bytes > (uint64_t)shelf->end * SHELF_GRAIN) {
        tree_fail(tree, "what was still to be explored was written over");
        return false;
    }
    if (begin < shelf->offset || begin + bytes > shelf->offset + shelf->bytes) {
        uint64_t left = (uint64_t)shelf->end * SHELF_GRAIN - begin, wanted = bytes > READ_AT_ONCE ? bytes : READ_AT_ONCE;
        shelf->offset = begin;
        shelf->bytes = wanted < left ? wanted : left;
        shelf->request = BPOR_SHELF_READ;
        return false;
    }
    if (!unpack_bundle(tree, bundle, open->page + (begin - shelf->offset), bytes)) {
        tree_fail(tree, "what was still to be explored was written over");
        return false;
    }
    forget(open, bundle->grain);
    return true;
}

void open_shelf_answered(struct tree *tree)
{
    struct open_shelf *shelf = &tree->open.shelf;
    if (shelf->request == BPOR_SHELF_DROP)
        shelf->bytes = 0; /* that is not on the page */
    shelf->request = BPOR_SHELF_NOTHING;
}

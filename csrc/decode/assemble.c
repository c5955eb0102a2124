/* Puts a module's trampolines together, out of pieces that the controller has encoded.
 *
 * This is C code, because a library has a hundred thousand instructions that report an access, of some thirty kinds. The
 * trampoline of a group begins with what nearly always runs, the checks of marks and the instructions themselves; the code that
 * reports an access follows. */
#include "decode/assemble.h"
#include "decode/rows.h"

enum { HEAD = 16, SITE_ALIGNMENT = 16, TABLE_ALIGNMENT = 8, JUMP = 5, MOST_ITEMS = 256, JUMP_OPCODE = 0xe9 };

struct deferred {
    uint32_t at;
    uint32_t number;
};

/* A look that was placed: what tells its access comes when the group is complete. */
struct waiting {
    const struct item *item;
    uint32_t begin;
    uint32_t found;
};

struct work {
    const struct assembly *given;
    struct rows code, sites, relocations, patches, gates, looks, counts, to_sites, to_constants;
    bool impossible;
};

static const uint8_t *text_at(struct work *work, uint64_t address, size_t bytes)
{
    const struct assembly *given = work->given;
    for (uint64_t i = 0; i < given->stretch_count; i++) {
        const struct stretch *part = &given->stretches[i];
        if (address >= part->address && address - part->address < part->bytes && bytes <= part->bytes - (address - part->address))
            return given->text + part->at + (address - part->address);
    }
    work->impossible = true;
    return NULL;
}

static void write_32(struct work *work, uint32_t at, int64_t value)
{
    int32_t narrow = (int32_t)value;
    work->impossible |= narrow != value;
    if (!work->code.failed)
        memcpy(work->code.data + at, &narrow, sizeof narrow);
}

static void add_place(struct rows *rows, uint32_t place)
{
    uint32_t in_file = BLOB_PAGE + place;
    rows_add(rows, &in_file, 1);
}

static void add_pair(struct rows *rows, uint32_t at, uint32_t to)
{
    struct blob_pair pair = {BLOB_PAGE + at, BLOB_PAGE + to};
    rows_add(rows, &pair, 1);
}

static void defer(struct rows *rows, uint32_t at, size_t number)
{
    struct deferred later = {at, (uint32_t)number};
    rows_add(rows, &later, 1);
}

static void add_site(struct work *work, const struct piece *piece, const struct item *item)
{
    struct site site = work->given->sites[piece->site - 1];
    site.instruction = item->address;
    site.length = (uint8_t)item->bytes;
    site.vex = work->given->vex != 0;
    rows_add(&work->sites, &site, 1);
}

/* `place`: of a look, where its access is told. `waiting`: of what tells an access, the look before it. */
static void mend(struct work *work, const struct piece *piece, const struct item *item, uint32_t begin, uint32_t place,
                 const struct waiting *waiting)
{
    const struct fixup *fixup = work->given->fixups + piece->fixup;
    for (uint32_t i = 0; i < piece->fixup_count; i++, fixup++) {
        uint32_t at = begin + fixup->at;
        switch ((enum fixup_kind)fixup->kind) {
        case FIX_MODULE:
            write_32(work, at, (int64_t)(item->operand + (uint64_t)fixup->value - (work->given->base + at)));
            add_place(&work->relocations, at);
            break;
        case FIX_CODE:
            write_32(work, at, fixup->value - (at + 4));
            break;
        case FIX_SITE:
            defer(&work->to_sites, at, work->sites.count - 1);
            break;
        case FIX_CONSTANT:
            defer(&work->to_constants, at, (size_t)fixup->value);
            break;
        case FIX_BEHIND:
            write_32(work, at, (int64_t)place - (at + 4));
            break;
        case FIX_FOUND:
            write_32(work, at, (int64_t)waiting->found - (at + 4));
            break;
        case FIX_LOOK:
            add_pair(&work->looks, at, place);
            break;
        case FIX_COUNT:
            add_place(&work->counts, at);
            break;
        case FIX_GATE:
            add_pair(&work->gates, waiting->begin, at);
            break;
        }
    }
}

static uint32_t place_code(struct work *work, const struct piece *piece)
{
    uint32_t begin = (uint32_t)work->code.count;
    rows_add(&work->code, work->given->codes + piece->code, piece->bytes);
    return begin;
}

static void place_item(struct work *work, const struct item *item, struct waiting *waiting, size_t *count)
{
    const struct piece *pieces = work->given->pieces;
    if (item->look) {
        uint32_t begin = place_code(work, &pieces[item->look]);
        waiting[(*count)++] = (struct waiting){item, begin, (uint32_t)work->code.count};
    }
    if (item->moved) {
        const struct piece *piece = &pieces[item->moved];
        if (piece->site)
            add_site(work, piece, item);
        mend(work, piece, item, place_code(work, piece), 0, NULL);
        return;
    }
    const uint8_t *own = text_at(work, item->address, item->bytes);
    if (own != NULL)
        rows_add(&work->code, own, item->bytes);
}

static void tell_behind(struct work *work, const struct waiting *waiting)
{
    const struct piece *look = &work->given->pieces[waiting->item->look], *behind = &work->given->pieces[look->behind];
    uint32_t place = place_code(work, behind);
    mend(work, look, waiting->item, waiting->begin, place, NULL);
    add_site(work, behind, waiting->item);
    mend(work, behind, waiting->item, place, 0, waiting);
}

static void jump_back(struct work *work, uint64_t address)
{
    uint8_t jump[JUMP] = {JUMP_OPCODE};
    rows_add(&work->code, jump, JUMP);
    uint32_t at = (uint32_t)work->code.count - 4;
    write_32(work, at, (int64_t)(address - (work->given->base + at + 4)));
    add_place(&work->relocations, at);
}

static void add_patch(struct work *work, uint64_t address, uint32_t target, enum patch_kind kind, uint8_t bytes)
{
    struct patch patch = {.address = address, .target = target, .kind = (uint8_t)kind, .bytes = bytes};
    size_t known = bytes < sizeof patch.before ? bytes : sizeof patch.before;
    const uint8_t *there = text_at(work, address, known);
    if (there != NULL)
        memcpy(&patch.before, there, known);
    rows_add(&work->patches, &patch, 1);
}

static void place_group(struct work *work, const struct group *group, const struct item *items)
{
    struct waiting waiting[MOST_ITEMS];
    size_t count = 0;
    uint32_t entry = BLOB_PAGE + (uint32_t)work->code.count;
    for (uint32_t i = 0; i < group->items; i++)
        place_item(work, &items[i], waiting, &count);
    const struct item *last = &items[group->items - 1];
    if (!group->leaves)
        jump_back(work, last->address + last->bytes);
    for (size_t i = 0; i < count; i++)
        tell_behind(work, &waiting[i]);
    if (!group->island) {
        add_patch(work, items[0].address, entry, group->traps ? PATCH_TRAP : PATCH_JUMP, group->bytes);
        return;
    }
    work->impossible |= group->island > UINT32_MAX;
    add_patch(work, items[0].address, (uint32_t)group->island, PATCH_SHORT, group->bytes);
    add_patch(work, group->island, entry, PATCH_ISLAND, JUMP);
}

static void align(struct rows *code, size_t to)
{
    rows_add_zeros(code, -code->count & (to - 1));
}

/* Constants lie behind the code, and the sites behind them. Answers where the constants begin. */
static uint32_t complete_code(struct work *work)
{
    const struct assembly *given = work->given;
    align(&work->code, sizeof *given->constants);
    uint32_t constants = (uint32_t)work->code.count;
    rows_add(&work->code, (const uint8_t *)given->constants, given->constant_count * sizeof *given->constants);
    align(&work->code, SITE_ALIGNMENT);
    const struct deferred *to = (const struct deferred *)work->to_constants.data;
    for (size_t i = 0; i < work->to_constants.count; i++)
        write_32(work, to[i].at, (int64_t)constants + (int64_t)sizeof *given->constants * to[i].number - (to[i].at + 4));
    to = (const struct deferred *)work->to_sites.data;
    for (size_t i = 0; i < work->to_sites.count; i++)
        write_32(work, to[i].at, (int64_t)(work->code.count + sizeof(struct site) * to[i].number) - (to[i].at + 4));
    return constants;
}

static int by_place(const void *one, const void *other)
{
    uint32_t first = *(const uint32_t *)one, second = *(const uint32_t *)other;
    return (first > second) - (first < second);
}

static int by_address(const void *one, const void *other)
{
    uint64_t first = ((const struct patch *)one)->address, second = ((const struct patch *)other)->address;
    return (first > second) - (first < second);
}

static void sort(struct rows *rows, int (*order)(const void *, const void *))
{
    if (rows->count > 1)
        qsort(rows->data, rows->count, rows->size, order);
}

static uint32_t add_table(struct rows *file, const struct rows *table)
{
    uint32_t begin = (uint32_t)file->count;
    rows_add(file, table->data, table->count * table->size);
    align(file, TABLE_ALIGNMENT);
    file->failed |= table->failed;
    return begin;
}

static struct rows written(struct work *work)
{
    const struct assembly *given = work->given;
    uint32_t constants = complete_code(work);
    sort(&work->relocations, by_place);
    sort(&work->gates, by_place);
    sort(&work->looks, by_place);
    sort(&work->counts, by_place);
    sort(&work->patches, by_address);
    struct blob head = {.magic = BLOB_MAGIC,
                        .base = given->base - BLOB_PAGE,
                        .text_low = given->text_low,
                        .text_high = given->text_high,
                        .code_bytes = (uint32_t)work->code.count,
                        .site_count = (uint32_t)work->sites.count,
                        .relocation_count = (uint32_t)work->relocations.count,
                        .patch_count = (uint32_t)work->patches.count,
                        .constants = given->constant_count ? BLOB_PAGE + constants : 0,
                        .constant_count = (uint32_t)given->constant_count,
                        .gate_count = (uint32_t)work->gates.count,
                        .look_count = (uint32_t)work->looks.count,
                        .count_count = (uint32_t)work->counts.count,
                        .sets_gs = given->sets_gs != 0};
    struct rows file = {.size = 1, .failed = work->code.failed || work->to_sites.failed || work->to_constants.failed};
    rows_add_zeros(&file, BLOB_PAGE);
    add_table(&file, &work->code);
    add_table(&file, &work->sites);
    head.relocations = add_table(&file, &work->relocations);
    head.patches = add_table(&file, &work->patches);
    head.gates = add_table(&file, &work->gates);
    head.looks = add_table(&file, &work->looks);
    head.counts = add_table(&file, &work->counts);
    if (!file.failed)
        memcpy(file.data, &head, sizeof head);
    return file;
}

static void place_all(struct work *work)
{
    const struct assembly *given = work->given;
    const struct item *items = given->items;
    rows_add_zeros(&work->code, HEAD + given->unused_bytes);
    for (uint64_t i = 0; i < given->group_count; i++) {
        const struct group *group = &given->groups[i];
        if (group->items == 0 || group->items > MOST_ITEMS) {
            work->impossible = true;
            return;
        }
        place_group(work, group, items);
        items += group->items;
    }
}

uint8_t *bpor_assemble(const struct assembly *given, size_t *bytes)
{
    struct work work = {.given = given,
                        .code = {.size = 1},
                        .sites = {.size = sizeof(struct site)},
                        .relocations = {.size = sizeof(uint32_t)},
                        .patches = {.size = sizeof(struct patch)},
                        .gates = {.size = sizeof(struct blob_pair)},
                        .looks = {.size = sizeof(struct blob_pair)},
                        .counts = {.size = sizeof(uint32_t)},
                        .to_sites = {.size = sizeof(struct deferred)},
                        .to_constants = {.size = sizeof(struct deferred)}};
    place_all(&work);
    struct rows file = written(&work);
    struct rows *used[] = {&work.code,  &work.sites,  &work.relocations, &work.patches,     &work.gates,
                           &work.looks, &work.counts, &work.to_sites,    &work.to_constants};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        rows_free(used[i]);
    if (file.failed || work.impossible) {
        rows_free(&file);
        return NULL;
    }
    *bytes = file.count;
    return file.data;
}

void bpor_forget(uint8_t *blob)
{
    free(blob);
}

/* Blobs are mapped near their modules and the jumps are written, once, before any code of the program runs. A module that cannot
 * be patched stays as it is. The controller is told why: one line per module with its path, a tab and the reason. */
#define _GNU_SOURCE
#include "arch/x86_64/vectors.h"
#include "machine/filter.h"
#include "machine/machine.h"
#include "memory/instrumented.h"
#include "process/maps.h"
#include "race/race.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { PAGE = BLOB_PAGE, JUMP_BYTES = 5, SHORT_BYTES = 2, JUMP = 0xe9, SHORT_JUMP = 0xeb, STOP = 0xcc };
/* As far as a jump reaches, less what lies between two marks. */
static const uintptr_t reach = 0x6e000000, apart = 1 << 20, heap_room = 1 << 30, end_of_memory = 0x7ffffffff000;

struct patching {
    struct bpor_shared *shared;
    const char *list; /* lines "device inode blob" */
    bool first;       /* the program itself comes first, without a name */
};

struct module {
    const char *path;
    size_t answer; /* where in shared->machine its line will be */
    uintptr_t base;
    uintptr_t low;
    uintptr_t high;
};

/* ---- the controller's list ---- */

static void *map_file(const char *path, size_t *bytes)
{
    struct stat facts;
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    long at = -1;
    if (sys_call3(SYS_fstat, fd, &facts, 0) == 0 && facts.st_size > 0) {
        *bytes = (size_t)facts.st_size;
        at = sys_call6(SYS_mmap, 0, facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    sys_call3(SYS_close, fd, 0, 0);
    return at >= 0 || at < -4095 ? (void *)at : NULL;
}

static const char *number(const char *at, uint64_t *value)
{
    for (*value = 0; *at >= '0' && *at <= '9'; at++)
        *value = *value * 10 + (uint64_t)(*at - '0');
    return *at == ' ' ? at + 1 : at;
}

static bool find_blob(const char *list, uint64_t device, uint64_t inode, char path[PATH_MAX])
{
    for (const char *line = list; *line;) {
        uint64_t its_device, its_inode;
        const char *name = number(number(line, &its_device), &its_inode), *end = strchr(name, '\n');
        if (end == NULL)
            return false;
        if (its_device == device && its_inode == inode && end - name < PATH_MAX) {
            memcpy(path, name, (size_t)(end - name));
            path[end - name] = '\0';
            return true;
        }
        line = end + 1;
    }
    return false;
}

/* ---- where ---- */

static bool reaches(const struct module *module, uintptr_t start, size_t bytes)
{
    uintptr_t low = start < module->low ? start : module->low;
    uintptr_t high = start + bytes > module->high ? start + bytes : module->high;
    return high - low < reach;
}

/* Below the module, where nothing grows towards it; else above, `behind` what lies there and may grow. */
static uintptr_t place_in(const struct module *module, uintptr_t from, uintptr_t to, size_t bytes, uintptr_t behind)
{
    if (to > end_of_memory || to <= from + bytes + 2 * apart)
        return 0;
    uintptr_t place = to <= module->low ? to - bytes - apart : from + behind;
    place &= ~(uintptr_t)(PAGE - 1);
    bool fits = place >= from + apart && place + bytes + apart <= to;
    return fits && reaches(module, place, bytes) ? place : 0;
}

static uintptr_t find_place(const struct module *module, const struct maps *maps, size_t bytes, uintptr_t behind)
{
    uintptr_t from = 0, best = 0;
    for (unsigned i = 0; i < maps->count; i++) {
        uintptr_t place = place_in(module, from, maps->map[i].start, bytes, behind);
        if (place && (best == 0 || place < module->low))
            best = place;
        from = maps->map[i].end;
    }
    return best;
}

static uintptr_t near(const struct module *module, size_t bytes)
{
    long room = sys_call6(SYS_mmap, 0, sizeof(struct maps), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room < 0 && room >= -4095)
        return 0;
    struct maps *maps = (struct maps *)room;
    bool known = bpor_maps_read(maps);
    uintptr_t place = known ? find_place(module, maps, bytes, heap_room) : 0;
    if (known && place == 0) /* a library that was loaded late lies among tables of ours, far from any heap */
        place = find_place(module, maps, bytes, apart);
    sys_call3(SYS_munmap, room, sizeof *maps, 0);
    return place;
}

/* ---- the blob ---- */

static bool sound(const struct blob *blob, size_t bytes)
{
    uint64_t sites = (uint64_t)BLOB_PAGE + blob->code_bytes, end = sites + (uint64_t)blob->site_count * sizeof(struct site);
    return bytes >= BLOB_PAGE && memcmp(blob->magic, BLOB_MAGIC, sizeof blob->magic) == 0 && end <= blob->relocations &&
           blob->relocations + (uint64_t)blob->relocation_count * 4 <= blob->patches &&
           blob->patches + (uint64_t)blob->patch_count * sizeof(struct patch) <= blob->gates &&
           blob->gates + (uint64_t)blob->gate_count * sizeof(struct blob_pair) <= blob->looks &&
           blob->looks + (uint64_t)blob->look_count * sizeof(struct blob_pair) <= blob->counts &&
           blob->counts + (uint64_t)blob->count_count * 4 <= bytes;
}

static struct site *sites_of(struct blob *blob)
{
    return (struct site *)((uint8_t *)blob + BLOB_PAGE + blob->code_bytes);
}

static const struct patch *patches_of(const struct blob *blob)
{
    return (const struct patch *)((const uint8_t *)blob + blob->patches);
}

/* Where marks are looked at, an access without one is always told: that is how it gets one. */
static void set_up(struct blob *blob)
{
    static const uint32_t always = 1;
    if (blob->sets_gs)
        bpor_filter_off();
    uint8_t *file = (uint8_t *)blob;
    void (*hook)(void) = bpor_machine_hook;
    const void *told = bpor_filter_is_on() ? (const void *)&always : (const void *)&bpor_checks;
    const uint32_t *count = (const uint32_t *)(file + blob->counts);
    int32_t left = (int32_t)((intptr_t)&bpor_plain_left - (intptr_t)__builtin_thread_pointer());
    memcpy(file + BLOB_PAGE, &hook, sizeof hook);
    memcpy(file + BLOB_PAGE + sizeof hook, &told, sizeof told);
    for (uint32_t i = 0; i < blob->count_count; i++)
        memcpy(file + count[i], &left, sizeof left);
    if (!bpor_filter_is_on())
        bpor_filter_cut(blob);
}

static bool relocate(struct blob *blob, uintptr_t base)
{
    uint8_t *file = (uint8_t *)blob;
    const uint32_t *where = (const uint32_t *)(file + blob->relocations);
    int64_t moved = (int64_t)(base + blob->base - (uintptr_t)blob);
    for (uint32_t i = 0; i < blob->relocation_count; i++) {
        int32_t distance;
        memcpy(&distance, file + where[i], sizeof distance);
        int64_t now = distance + moved;
        if (now != (int32_t)now)
            return false;
        distance = (int32_t)now;
        memcpy(file + where[i], &distance, sizeof distance);
    }
    for (uint32_t i = 0; i < blob->constant_count; i++)
        ((uint64_t *)(file + blob->constants))[i] += base;
    for (uint32_t i = 0; i < blob->site_count; i++)
        sites_of(blob)[i].instruction += base;
    set_up(blob);
    return true;
}

/* ---- the module's code ---- */

static bool as_expected(const struct blob *blob, const struct module *module)
{
    const struct patch *patch = patches_of(blob);
    for (uint32_t i = 0; i < blob->patch_count; i++) {
        uintptr_t address = module->base + patch[i].address;
        if (address < module->low || address + patch[i].bytes > module->high)
            return false;
        if (memcmp((const void *)address, &patch[i].before, patch[i].bytes < 4 ? patch[i].bytes : 4) != 0)
            return false;
    }
    return true;
}

static void write_jump(uint8_t *at, uintptr_t target, unsigned bytes)
{
    int32_t distance = (int32_t)(target - ((uintptr_t)at + JUMP_BYTES));
    at[0] = JUMP;
    memcpy(at + 1, &distance, sizeof distance);
    memset(at + JUMP_BYTES, STOP, bytes - JUMP_BYTES);
}

static void write_patches(const struct blob *blob, uintptr_t base)
{
    const struct patch *patch = patches_of(blob);
    for (uint32_t i = 0; i < blob->patch_count; i++) {
        uint8_t *at = (uint8_t *)(base + patch[i].address);
        if (patch[i].kind == PATCH_TRAP) {
            at[0] = STOP;
            bpor_machine_expect_traps();
            continue;
        }
        if (patch[i].kind != PATCH_SHORT) {
            write_jump(at, (uintptr_t)blob + patch[i].target, patch[i].bytes);
            continue;
        }
        at[0] = SHORT_JUMP;
        at[1] = (uint8_t)(base + patch[i].target - ((uintptr_t)at + SHORT_BYTES));
        memset(at + SHORT_BYTES, STOP, patch[i].bytes - SHORT_BYTES);
    }
}

/* Without write and execute at once, which some kernels forbid: nothing of the module runs now. */
static const char *rewrite(const struct blob *blob, const struct module *module)
{
    uintptr_t low = module->low & ~(uintptr_t)(PAGE - 1);
    size_t bytes = ((module->high + PAGE - 1) & ~(uintptr_t)(PAGE - 1)) - low;
    if (sys_call3(SYS_mprotect, low, bytes, PROT_READ | PROT_WRITE) != 0) {
        sys_call3(SYS_mprotect, low, bytes, PROT_READ | PROT_EXEC);
        return "its code may not be written here";
    }
    write_patches(blob, module->base);
    if (sys_call3(SYS_mprotect, low, bytes, PROT_READ | PROT_EXEC) == 0)
        return "";
    return NULL; /* it cannot run any more */
}

static const char *patch_with(struct blob *blob, const struct module *module, size_t bytes)
{
    if (!as_expected(blob, module))
        return "its code is not what its file has";
    if (!relocate(blob, module->base))
        return "there is no room within 2 GiB of it";
    if (sys_call3(SYS_mprotect, blob, bytes, PROT_READ | PROT_EXEC) != 0)
        return "new code may not be run here";
    const char *problem = rewrite(blob, module);
    if (problem && !*problem)
        bpor_machine_add_blob(blob, module->base, module->answer);
    return problem;
}

static const char *patch(const char *path, const struct module *module)
{
    struct stat facts;
    const char *problem = "its trampolines cannot be read";
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return problem;
    if (sys_call3(SYS_fstat, fd, &facts, 0) == 0 && facts.st_size >= BLOB_PAGE) {
        size_t bytes = (size_t)facts.st_size;
        uintptr_t place = near(module, bytes);
        long at = sys_call6(SYS_mmap, (long)place, (long)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
        if (place == 0 || at != (long)place)
            problem = "there is no room within 2 GiB of it";
        else if (sound((const struct blob *)place, bytes))
            problem = patch_with((struct blob *)place, module, bytes);
        if (place && at == (long)place && problem && *problem)
            sys_call3(SYS_munmap, place, bytes, 0);
    }
    sys_call3(SYS_close, fd, 0, 0);
    return problem;
}

static bool find_text(const struct dl_phdr_info *info, struct module *module)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && header->p_flags & PF_X) {
            module->low = module->base + header->p_vaddr;
            module->high = module->low + header->p_memsz;
            return true;
        }
    }
    return false;
}

static bool is_patched(const struct module *module)
{
    unsigned number = 0;
    uintptr_t base;
    size_t answer;
    return bpor_machine_overlapping(&number, module->low, module->high, &base, &answer) != NULL;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
    struct patching *patching = data;
    struct stat facts;
    char blob[PATH_MAX], program[PATH_MAX] = "";
    struct module module = {.path = info->dlpi_name, .base = info->dlpi_addr, .answer = strlen(patching->shared->machine)};
    bool first = patching->first;
    (void)size;
    patching->first = false;
    if (first) {
        bpor_filter_prepare(info->dlpi_addr == 0);
        sys_call3(SYS_readlink, "/proc/self/exe", program, sizeof program - 1);
        module.path = program;
    }
    if (!find_text(info, &module) || is_patched(&module) ||
        sys_call4(SYS_newfstatat, AT_FDCWD, first ? "/proc/self/exe" : module.path, &facts, 0) != 0 ||
        !find_blob(patching->list, facts.st_dev, facts.st_ino, blob))
        return 0;
    const char *problem = patch(blob, &module);
    if (problem == NULL)
        sys_exit_group(99); /* half of its code is gone; nothing but mprotect's own inconsistency leads here */
    bpor_machine_answer(patching->shared, module.path, strlen(module.path), problem);
    if (!*problem) {
        bpor_machine_redirect(info);
        if (!bpor_instrumented_code((const void *)module.low)) /* else only a part of it is told here */
            bpor_instrumented_patched(module.low, module.high);
    }
    return 0;
}

static unsigned long long loaded; /* modules that the loader ever added, at the last look */

static int count_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(unsigned long long *)data = info->dlpi_adds;
    return 1;
}

static void patch_listed(struct bpor_shared *shared)
{
    size_t bytes = 0;
    struct patching patching = {.shared = shared, .first = true};
    char *list = map_file(shared->config.machine, &bytes);
    if (list == NULL)
        return;
    patching.list = list; /* its last byte is zero */
    if (list[bytes - 1] == '\0' && bpor_vectors_prepare())
        dl_iterate_phdr(visit, &patching);
    sys_call3(SYS_munmap, list, bytes, 0);
}

void bpor_machine_patch(struct bpor_shared *shared)
{
    shared->machine[0] = '\0';
    if (shared->config.machine[0] == '\0')
        return;
    dl_iterate_phdr(count_loaded, &loaded);
    patch_listed(shared);
}

void bpor_machine_patch_loaded(void)
{
    unsigned long long now = loaded;
    if (bpor == NULL || !bpor->attached || bpor->shared->config.machine[0] == '\0')
        return;
    dl_iterate_phdr(count_loaded, &now);
    if (now != loaded)
        patch_listed(bpor->shared);
    loaded = now;
}

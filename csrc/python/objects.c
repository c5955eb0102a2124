/* A reference count lies in the header of an object, and behind it stands the object's type, whose own type is `type` or one of
 * its kind. Followed by reads that cannot fault, because any bytes may stand there. */
#define _GNU_SOURCE
#include "python/objects.h"
#include "memory/memory.h"
#include "python/gil.h"
#include "race/race.h"
#include "runtime/objects.h"
#include "runtime/sys.h"
#include <dlfcn.h>
#include <link.h>
#include <sys/uio.h>

enum { WORD = 8, TYPE_OFFSET = 8, ALIGNMENT = 16, MOST_BEFORE = 32, LIBCS_FLAGS = 8, LARGEST_OBJECT = 1 << 30 };
#define MOST_REFERENCES (1UL << 40)
enum { MERGED = 3, ONE_REFERENCE = 4 }; /* of a shared count */
#define TYPE_SUBCLASS (1UL << 31)       /* Py_TPFLAGS_TYPE_SUBCLASS */

/* Of an object in a free-threaded build. */
struct header {
    uintptr_t owner; /* its thread, or 0 */
    uint32_t rest;
    uint32_t local;  /* the owner's references */
    uint64_t shared; /* all others */
    uintptr_t type;
};

static bool read_at(uintptr_t address, void *into, size_t bytes)
{
    struct iovec here = {into, bytes}, there = {(void *)address, bytes};
    return sys_call6(SYS_process_vm_readv, sys_getpid(), (long)&here, 1, (long)&there, 1, 0) == (long)bytes;
}

bool bpor_python_words(uintptr_t address, uintptr_t *into, size_t count)
{
    return read_at(address, into, count * sizeof *into);
}

bool bpor_python_word(uintptr_t address, uintptr_t *word)
{
    return bpor_python_words(address, word, 1);
}

static uintptr_t type_of(uintptr_t object)
{
    uintptr_t type = 0;
    size_t offset = bpor_gil.free_threaded ? offsetof(struct header, type) : TYPE_OFFSET;
    return read_at(object + offset, &type, sizeof type) ? type : 0;
}

/* The type of every object is one whose own type is `type`: only a metaclass says so of itself. */
static bool is_metaclass(uintptr_t type)
{
    unsigned long (*flags_of)(uintptr_t) = (unsigned long (*)(uintptr_t))dlsym(RTLD_DEFAULT, "PyType_GetFlags");
    return flags_of && (flags_of(type) & TYPE_SUBCLASS);
}

static bool is_type(uintptr_t object)
{
    static uintptr_t type_type;
    if (type_type == 0)
        type_type = (uintptr_t)dlsym(RTLD_DEFAULT, "PyType_Type");
    uintptr_t meta = object ? type_of(object) : 0;
    return type_type && meta && (meta == type_type || (type_of(meta) == type_type && is_metaclass(meta)));
}

static bool is_thread(uintptr_t handle)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if ((uintptr_t)bpor->thread[i].handle == handle)
            return true;
    return false;
}

/* NULL: it was there before blocks were counted. */
static const struct allocation *block_of(uintptr_t address)
{
    const struct allocation *block = bpor_heap_find(address);
    return block ? block : bpor_quarantine_find(address);
}

/* What an extension asked libc for is no object, whatever was left there by one that lay there before. */
static bool may_be_objects(const struct allocation *block)
{
    return block == NULL || bpor_python_calls((const void *)block->site);
}

/* Of a free-threaded build. Other data that happens to stand before a pointer to a type has no such things in it. */
static bool is_object(uintptr_t address)
{
    struct header header;
    return read_at(address, &header, sizeof header) && (header.owner == 0 || is_thread(header.owner)) &&
           (header.local != 0 || (header.shared & MERGED) == MERGED) && is_type(header.type) && may_be_objects(block_of(address));
}

/* Of what libc keeps before a block: its size. */
static bool begins_block(uintptr_t address)
{
    uint64_t size = 0;
    return read_at(address - sizeof size, &size, sizeof size) && size % ALIGNMENT < LIBCS_FLAGS && size >= 2 * ALIGNMENT &&
           size < LARGEST_OBJECT;
}

/* A word that happens to stand before a pointer to a type is no object: one begins where its block does, or behind what the
 * interpreter puts before it. A static one is a type itself. */
static bool begins_object(uintptr_t address)
{
    unsigned module;
    uintptr_t offset;
    const struct allocation *block = block_of(address);
    if (address % ALIGNMENT != 0)
        return false;
    if (block)
        return may_be_objects(block) && address - block->start <= MOST_BEFORE;
    if (bpor_module_of(address, &module, &offset))
        return bpor_in_interpreter(address) || is_metaclass(type_of(address));
    for (uintptr_t before = 0; before <= MOST_BEFORE; before += ALIGNMENT)
        if (begins_block(address - before))
            return true;
    return false;
}

/* A pointer is no count. */
static bool is_count(uintptr_t address)
{
    uint64_t count = 0;
    return read_at(address, &count, sizeof count) && (count < MOST_REFERENCES || (int32_t)count < 0);
}

static bool is_counted(uintptr_t address)
{
    return address % ALIGNMENT == 0 && is_type(type_of(address)) && begins_object(address) && is_count(address);
}

bool bpor_python_is_object(uintptr_t address)
{
    return bpor_gil.free_threaded ? is_object(address) : is_counted(address);
}

static bool is_reference_count(uintptr_t address, size_t bytes)
{
    uintptr_t word = address & ~(uintptr_t)(WORD - 1); /* newer interpreters use half of the word */
    if (address + bytes > word + WORD)
        return false;
    if (!bpor_gil.free_threaded)
        return is_counted(word);
    return is_object(word) || is_object(word - WORD) || is_object(word - 2 * WORD);
}

bool bpor_in_interpreter(uintptr_t address)
{
    unsigned module, interpreter;
    uintptr_t offset, function = (uintptr_t)dlsym(RTLD_DEFAULT, "PyEval_SaveThread");
    return bpor_module_of(address, &module, &offset) && bpor_module_of(function, &interpreter, &offset) && module == interpreter;
}

struct text {
    uintptr_t inside; /* an address in it */
    uintptr_t start;
    size_t bytes;
};

static int find_text(struct dl_phdr_info *info, size_t size, void *data)
{
    struct text *text = data;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_flags & PF_X && text->inside - start < header->p_memsz) {
            text->start = start;
            text->bytes = header->p_memsz;
            return 1;
        }
    }
    return 0;
}

static const struct text *interpreters_text(void)
{
    static struct text text;
    if (!text.inside) {
        text.inside = (uintptr_t)dlsym(RTLD_DEFAULT, "PyEval_SaveThread");
        dl_iterate_phdr(find_text, &text);
    }
    return &text;
}

/* Asked at every entry of an instrumented function. */
bool bpor_python_calls(const void *site)
{
    const struct text *text = interpreters_text();
    return (uintptr_t)site - text->start < text->bytes;
}

uintptr_t bpor_python_offset(const void *site)
{
    return bpor_python_calls(site) ? (uintptr_t)site - interpreters_text()->start : 0;
}

bool bpor_python_owns(uintptr_t address, size_t bytes)
{
    return bpor_in_interpreter(address) || is_reference_count(address, bytes);
}

/* Py_INCREF and Py_DECREF, inlined: who owns it, its count, one more for all others; and what the interpreter keeps. */
bool bpor_python_minds(const struct memory_access *access)
{
    uintptr_t address = (uintptr_t)access->address, shared_of = address - offsetof(struct header, shared);
    bool loads = access->form == FORM_LOAD, relaxed = access->order == __ATOMIC_RELAXED;
    if (!bpor_gil.free_threaded)
        return false;
    if (bpor_in_interpreter(address))
        return true;
    if (access->size == sizeof(uint32_t))
        return relaxed && (loads || access->form == FORM_STORE) && is_object(address - offsetof(struct header, local));
    if (access->size != WORD)
        return false;
    if (loads)
        return relaxed && (is_object(address) || is_object(shared_of));
    return access->form == FORM_ADD && access->operand == ONE_REFERENCE && is_object(shared_of);
}

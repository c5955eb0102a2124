/* Finds the instructions by which code acts on other threads, or on itself, without a call that could be interposed. */
#include "decode/length.h"

enum kind { NOTHING, ATOMIC, SYSTEM_CALL, CLOCK, RANDOM };

struct bpor_found {
    uint64_t offset;
    uint32_t kind;
    uint32_t unused;
};

/* With a lock prefix any other instruction is undefined: what has one is data that lies between code. */
static bool may_be_locked(const struct instruction *found)
{
    uint8_t opcode = found->opcode;
    if (!has_memory_operand(found))
        return false;
    if (found->map == MAP_ONE)
        return (opcode < 0x38 && (opcode & 7) < 2) || (opcode >= 0x80 && opcode <= 0x83) || opcode == 0x86 || opcode == 0x87 ||
               opcode == 0xf6 || opcode == 0xf7 || opcode == 0xfe || opcode == 0xff;
    if (found->map == MAP_0F)
        return opcode == 0xab || opcode == 0xb3 || opcode == 0xba || opcode == 0xbb || opcode == 0xb0 || opcode == 0xb1 ||
               opcode == 0xc0 || opcode == 0xc1 || opcode == 0xc7;
    return false;
}

static enum kind kind_of(const struct instruction *found)
{
    bool exchange = found->map == MAP_ONE && (found->opcode | 1) == 0x87; /* locks without the prefix */
    if ((found->locked && may_be_locked(found)) || (exchange && has_memory_operand(found)))
        return ATOMIC;
    if (found->map == MAP_ONE)
        return found->opcode == 0xcd ? SYSTEM_CALL : NOTHING;
    if (found->map != MAP_0F)
        return NOTHING;
    switch (found->opcode) {
    case 0x05:
    case 0x34:
        return SYSTEM_CALL;
    case 0x31:
        return CLOCK;
    case 0x01:
        return found->modrm == 0xf9 ? CLOCK : NOTHING; /* rdtscp */
    case 0xae:                                         /* mfence */
        return found->modrm == 0xf0 ? ATOMIC : NOTHING;
    case 0xc7:
        return found->modrm >> 6 == 3 && extension_of(found) >= 6 ? RANDOM : NOTHING;
    default:
        return NOTHING;
    }
}

static bool is_processor_interrupt(const uint8_t *code, const struct instruction *found)
{
    return found->map == MAP_ONE && found->opcode == 0xcd && code[found->bytes - 1] != 0x80;
}

/* Decodes from each of the sorted `starts` to the next; the first `room` of what was found are told. Returns how many there are.
 */
size_t bpor_scan(const uint8_t *code, size_t bytes, const uint64_t *starts, size_t count, struct bpor_found *told, size_t room);

size_t bpor_scan(const uint8_t *code, size_t bytes, const uint64_t *starts, size_t count, struct bpor_found *told, size_t room)
{
    size_t number = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t end = i + 1 < count ? starts[i + 1] : bytes;
        for (uint64_t at = starts[i]; at < end && at < bytes;) {
            struct instruction found = bpor_instruction(code + at, bytes - at);
            enum kind kind = found.bytes ? kind_of(&found) : NOTHING;
            if (kind != NOTHING && !is_processor_interrupt(code + at, &found)) {
                if (number < room)
                    told[number] = (struct bpor_found){at, kind, 0};
                number++;
            }
            at += found.bytes ? found.bytes : 1;
        }
    }
    return number;
}

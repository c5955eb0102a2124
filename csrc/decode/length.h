/* One x86-64 instruction: its length and the few properties of it that a scan of code needs. Nothing is executed or relocated. */
#ifndef BPOR_LENGTH_H
#define BPOR_LENGTH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LONGEST_INSTRUCTION = 15 };

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_VECTOR, MAP_NONE };

struct instruction {
    unsigned bytes; /* 0: not an instruction, or cut by the end of the code */
    enum map map;
    uint8_t opcode;
    uint8_t modrm;
    bool has_modrm;
    bool locked;
};

struct instruction bpor_instruction(const uint8_t *code, size_t bytes);

/* Its operand is in memory; only for those that have one. */
static inline bool has_memory_operand(const struct instruction *found)
{
    return found->has_modrm && found->modrm >> 6 != 3;
}

static inline unsigned extension_of(const struct instruction *found)
{
    return found->modrm >> 3 & 7;
}
#endif

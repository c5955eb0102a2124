/* Lengths of x86-64 instructions: prefixes, opcode maps, ModRM, immediates (Intel SDM volume 2, appendix A; AMD's XOP). A test
 * compares it with a disassembler over whole libraries. Not known: APX, which no compiler makes unasked. */
#include "decode/length.h"

/* What follows an opcode. */
enum {
    M = 1,   /* ModRM */
    B = 2,   /* an immediate of one byte */
    Z = 4,   /* of four bytes, two with an operand-size prefix */
    W = 8,   /* of two bytes */
    V = 16,  /* as Z, eight with REX.W */
    J = 32,  /* of four bytes, whatever the prefixes */
    A = 64,  /* an address of eight bytes, four with an address-size prefix */
    X = 128, /* no instruction in 64-bit mode */
};

static const uint8_t one_byte[256] = {
    /* 00 */ M,     M,     M, M,     B, Z, X,     X,     M,     M,     M, M,     B, Z, X, 0,
    /* 10 */ M,     M,     M, M,     B, Z, X,     X,     M,     M,     M, M,     B, Z, X, X,
    /* 20 */ M,     M,     M, M,     B, Z, 0,     X,     M,     M,     M, M,     B, Z, 0, X,
    /* 30 */ M,     M,     M, M,     B, Z, 0,     X,     M,     M,     M, M,     B, Z, 0, X,
    /* 40 */ X,     X,     X, X,     X, X, X,     X,     X,     X,     X, X,     X, X, X, X,
    /* 50 */ 0,     0,     0, 0,     0, 0, 0,     0,     0,     0,     0, 0,     0, 0, 0, 0,
    /* 60 */ X,     X,     X, M,     0, 0, 0,     0,     Z,     M | Z, B, M | B, 0, 0, 0, 0,
    /* 70 */ B,     B,     B, B,     B, B, B,     B,     B,     B,     B, B,     B, B, B, B,
    /* 80 */ M | B, M | Z, X, M | B, M, M, M,     M,     M,     M,     M, M,     M, M, M, M,
    /* 90 */ 0,     0,     0, 0,     0, 0, 0,     0,     0,     0,     X, 0,     0, 0, 0, 0,
    /* a0 */ A,     A,     A, A,     0, 0, 0,     0,     B,     Z,     0, 0,     0, 0, 0, 0,
    /* b0 */ B,     B,     B, B,     B, B, B,     B,     V,     V,     V, V,     V, V, V, V,
    /* c0 */ M | B, M | B, W, 0,     X, X, M | B, M | Z, W | B, 0,     W, 0,     0, B, X, 0,
    /* d0 */ M,     M,     M, M,     X, X, X,     0,     M,     M,     M, M,     M, M, M, M,
    /* e0 */ B,     B,     B, B,     B, B, B,     B,     J,     J,     X, B,     0, 0, 0, 0,
    /* f0 */ 0,     0,     0, 0,     0, 0, M,     M,     0,     0,     0, 0,     0, 0, M, M,
};

static const uint8_t two_bytes[256] = {
    /* 00 */ M,     M,     M,     M,     X,     0,     0,     0, 0, 0, X,     0, X,     M, 0, M | B,
    /* 10 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
    /* 20 */ M,     M,     M,     M,     X,     X,     X,     X, M, M, M,     M, M,     M, M, M,
    /* 30 */ 0,     0,     0,     0,     0,     0,     X,     0, M, X, M | B, X, X,     X, X, X,
    /* 40 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
    /* 50 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
    /* 60 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
    /* 70 */ M | B, M | B, M | B, M | B, M,     M,     M,     0, M, M, X,     X, M,     M, M, M,
    /* 80 */ J,     J,     J,     J,     J,     J,     J,     J, J, J, J,     J, J,     J, J, J,
    /* 90 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
    /* a0 */ 0,     0,     0,     M,     M | B, M,     M,     M, 0, 0, 0,     M, M | B, M, M, M,
    /* b0 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M | B, M, M,     M, M, M,
    /* c0 */ M,     M,     M | B, M,     M | B, M | B, M | B, M, 0, 0, 0,     0, 0,     0, 0, 0,
    /* d0 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
    /* e0 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
    /* f0 */ M,     M,     M,     M,     M,     M,     M,     M, M, M, M,     M, M,     M, M, M,
};

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool operand16, address32, wide; /* prefixes 66, 67 and REX.W */
};

static bool take(struct cursor *cursor, uint8_t *byte)
{
    if (cursor->at == cursor->end)
        return false;
    *byte = *cursor->at++;
    return true;
}

static bool skip(struct cursor *cursor, size_t bytes)
{
    if ((size_t)(cursor->end - cursor->at) < bytes)
        return false;
    cursor->at += bytes;
    return true;
}

/* Prefixes in any order; REX counts only right before the opcode. */
static bool prefixes(struct cursor *cursor, struct instruction *found, uint8_t *opcode)
{
    while (take(cursor, opcode)) {
        bool rex = *opcode >> 4 == 4;
        switch (*opcode) {
        case 0x66:
            cursor->operand16 = true;
            break;
        case 0x67:
            cursor->address32 = true;
            break;
        case 0xf0:
            found->locked = true;
            break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
        case 0xf2:
        case 0xf3:
            break;
        default:
            if (!rex)
                return true;
        }
        cursor->wide = rex && *opcode & 8;
    }
    return false;
}

/* What follows an opcode behind a VEX, EVEX or XOP prefix, which names the map by number; 8 to 10 are XOP's. */
static unsigned vector_form(unsigned map, uint8_t opcode)
{
    switch (map) {
    case 1:
        return two_bytes[opcode] & (M | B) ? (two_bytes[opcode] & B) | M : opcode == 0x77 ? 0 : X;
    case 3:
    case 8:
        return M | B;
    case 10:
        return M | J;
    case 2:
    case 5:
    case 6:
    case 9:
        return M;
    default:
        return X;
    }
}

/* `length`: bytes of the prefix after its first. */
static unsigned vector(struct cursor *cursor, struct instruction *found, unsigned length, uint8_t first)
{
    uint8_t byte = 0;
    unsigned map = 1;
    for (unsigned i = 0; i < length; i++) {
        if (!take(cursor, &byte))
            return X;
        if (i == 0 && length > 1)
            map = first == 0x62 ? byte & 7 : byte & 31;
    }
    found->map = MAP_VECTOR;
    return take(cursor, &found->opcode) ? vector_form(map, found->opcode) : X;
}

static unsigned behind_0f(struct cursor *cursor, struct instruction *found)
{
    found->map = MAP_0F;
    if (!take(cursor, &found->opcode))
        return X;
    if (found->opcode != 0x38 && found->opcode != 0x3a)
        return two_bytes[found->opcode];
    found->map = found->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
    return take(cursor, &found->opcode) ? (found->map == MAP_0F38 ? M : M | B) : X;
}

static unsigned form_of(struct cursor *cursor, struct instruction *found, uint8_t first)
{
    bool xop = first == 0x8f && cursor->at < cursor->end && (*cursor->at & 31) >= 8;
    found->map = MAP_ONE;
    found->opcode = first;
    if (first == 0x0f)
        return behind_0f(cursor, found);
    if (first == 0xc5)
        return vector(cursor, found, 1, first);
    if (first == 0xc4 || xop)
        return vector(cursor, found, 2, first);
    if (first == 0x62)
        return vector(cursor, found, 3, first);
    return one_byte[first];
}

static bool operand(struct cursor *cursor, struct instruction *found)
{
    uint8_t sib = 0;
    if (!take(cursor, &found->modrm))
        return false;
    found->has_modrm = true;
    unsigned mode = found->modrm >> 6, base = found->modrm & 7;
    bool moves_registers = found->map == MAP_0F && found->opcode >= 0x20 && found->opcode <= 0x23; /* of control and debugging */
    if (mode == 3 || moves_registers)
        return true;
    if (base == 4) {
        if (!take(cursor, &sib))
            return false;
        base = (sib & 7) == 5 ? 5 : 4;
    }
    if (mode == 0)
        return base != 5 || skip(cursor, 4);
    return skip(cursor, mode == 1 ? 1 : 4);
}

/* test has an immediate, its neighbours in the same opcode have none. */
static unsigned form_by_extension(const struct instruction *found, unsigned form)
{
    if (found->map != MAP_ONE || (found->opcode & 0xfe) != 0xf6 || extension_of(found) > 1)
        return form;
    return form | (found->opcode == 0xf6 ? B : Z);
}

static size_t immediate_bytes(const struct cursor *cursor, unsigned form)
{
    size_t bytes = 0, word = cursor->operand16 && !cursor->wide ? 2 : 4;
    bytes += form & B ? 1 : 0;
    bytes += form & W ? 2 : 0;
    bytes += form & J ? 4 : 0;
    bytes += form & Z ? word : 0;
    bytes += form & V ? (cursor->wide ? 8 : word) : 0;
    bytes += form & A ? (cursor->address32 ? 4 : 8) : 0;
    return bytes;
}

struct instruction bpor_instruction(const uint8_t *code, size_t bytes)
{
    struct instruction found = {.map = MAP_NONE};
    struct cursor cursor = {.at = code, .end = code + (bytes < LONGEST_INSTRUCTION ? bytes : LONGEST_INSTRUCTION)};
    uint8_t first = 0;
    if (!prefixes(&cursor, &found, &first))
        return found;
    unsigned form = form_of(&cursor, &found, first);
    if (form & X || (form & M && !operand(&cursor, &found)))
        return found;
    if (!skip(&cursor, immediate_bytes(&cursor, form_by_extension(&found, form))))
        return found;
    found.bytes = (unsigned)(cursor.at - code);
    return found;
}

"""Random programs in C: two threads and main access the same 32 bytes in pieces of every size, by C and by instructions of their own.

`main_part` starts the threads, does something itself and waits for them; what it was given leads to its own stack, by a way that a compiler
may know or not. Nothing is called but what is named `f_...`. What the processor leaves undefined, flags that no instruction has set above
all, is not used.
"""

from __future__ import annotations

import random

_HEAD = r"""
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64; typedef unsigned __int128 u128;
typedef u64 v2 __attribute__((vector_size(16)));
struct pair { u64 a, b; };
struct three { u32 a, b, c; };
struct bits { u32 x : 3, y : 7, z : 1, w : 21; };
struct __attribute__((packed)) odd { u8 p; u64 q; u16 r; };
struct four { u64 a[4]; };
union area {
    u8 b[32]; u16 h[16]; u32 w[8]; u64 q[4]; float f[8]; double d[4]; u128 o[2]; v2 v[2];
    struct pair p[2]; struct three t[2]; struct bits s[8]; struct odd u[2];
};
#define APART __attribute__((noinline))
APART void start_threads(union area *), finish_threads(void);
__attribute__((aligned(64))) union area g = {{BYTES}};
union area *pub;
u64 res[2];
static __thread union area own;
static const u64 table[4] = {3, 5, 0x0102030405060708ull, ~0ull};
typedef u64 function(union area *, u64);
APART static u64 f_add(union area *p, u64 k) { p->q[k & 1] += 3; return p->b[k & 7]; }
APART static void f_swap(u32 *x, u32 *y) { u32 t = *x; *x = *y; *y = t; }
APART static struct four f_four(struct four x, u64 y) { x.a[y & 3] += y; return x; }
APART static u64 f_frame(union area *p, u64 k) { union area l = *p; u64 r = f_add(&l, k); p->p[0] = l.p[0]; return l.q[0] + r; }
APART static u64 f_cases(union area *p, u64 k) {
    switch (k & 7) {
    case 0: return p->b[0];
    case 1: p->w[0] = 5; return 1;
    case 2: return p->h[1] + 2;
    case 3: p->b[3]++; return 9;
    case 4: return p->q[0];
    case 5: p->q[1] ^= k; return 4;
    default: return k;
    }
}
static function *const f_any[4] = {f_add, f_cases, f_frame, f_add};
"""
_TAIL = r"""
static pthread_t one, two;
static union area *passed;
static void *run0(void *a) { res[0] = t0(passed); return a; }
static void *run1(void *a) { res[1] = t1(passed); return a; }
APART void start_threads(union area *p) { passed = p; pthread_create(&one, 0, run0, 0), pthread_create(&two, 0, run1, 0); }
APART void finish_threads(void) { pthread_join(one, 0), pthread_join(two, 0); }
int main(void)
{
    u64 mine = main_part();
    printf("%lx %lx %lx", mine, res[0], res[1]);
    for (int i = 0; i < 4; i++) printf(" %lx", g.q[i]);
    return 0;
}
"""
_WAYS = {  # how the address of a variable of main's comes to the threads: what main does before, what it passes, what a thread makes of it
    "itself": ("", "&loc", ""),
    "its middle": ("", "(void *)((char *)&loc + 8)", "a = (void *)((char *)a - 8);"),
    "hidden": ("", "(void *)((u64)&loc ^ 0x5a5a5a)", "a = (void *)((u64)a ^ 0x5a5a5a);"),
    "by a pointer": ("union area *pointer = &loc;", "(void *)&pointer", "a = *(union area **)a;"),
    "published": ("pub = &loc;", "&g", "a = pub;"),
}
_KINDS = {"b": ("u8", (0, 1, 3, 4, 7, 8)), "h": ("u16", (0, 1, 3)), "w": ("u32", (0, 1, 2)), "q": ("u64", (0, 1))}
_WIDTH = {"u8": "b", "u16": "w", "u32": "l", "u64": "q"}
_BY_ITSELF = ("not", "neg", "inc", "dec", "shl", "ror", "lock; inc", "lock; neg", "stc; rcl")
_BY_REGISTER = ("xor", "add", "lock; add", "lock; xor", "stc; adc", "stc; sbb", "xadd", "xchg", "lock; xadd")
_STRINGS = ("movs", "rep; movs", "stos", "rep; stos", "lods", "repe; cmps", "repne; scas")


class Writer:
    """Of one program; the same one for a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def program(self) -> str:
        source = self._random
        before, passed, made = _WAYS[source.choice(list(_WAYS))] if source.random() < 0.7 else ("", "&g", "")
        count = source.choice((2, 3, 3, 4))
        text = _HEAD.replace("BYTES", ",".join(str(source.choice((0, 0, 1, 2, 255, 128, 7))) for _ in range(32)))
        for name in ("t0", "t1"):
            body = "\n    ".join(self._statement(("g.", "a->")) for _ in range(count))
            text += f"APART u64 {name}(union area *a)\n{{\n    u64 r0 = 1, r1 = 17, r2 = 1 << 20;\n    {made}\n    {body}\n"
            text += "    return r0 ^ r1 * 3 ^ r2 * 5;\n}\n"
        body = "\n    ".join(self._statement(("g.", "loc.")) for _ in range(source.choice((0, 1, 1, 2))))
        text += f"APART u64 main_part(void)\n{{\n    u64 r0 = 5, r1 = 6, r2 = 7;\n    union area loc = {{{{1, 2, 3}}}};\n    {before}\n"
        text += f"    start_threads({passed});\n    {body}\n    finish_threads();\n    u64 hash = r0 ^ r1 * 3 ^ r2 * 5;\n"
        return text + "    for (int i = 0; i < 4; i++) hash = hash * 31 + loc.q[i];\n    return hash;\n}\n" + _TAIL

    # ---- parts of a statement ----

    def _place(self, base: str) -> tuple[str, str]:
        """Of bytes that a type of C has, and the type."""
        letter = self._random.choice("bhwqqww")
        kind, indices = _KINDS[letter]
        return f"{base}{letter}[{self._random.choice(indices)}]", kind

    def _any_place(self, base: str) -> str:
        """Also bits and fields."""
        fields = (f"s[{self._random.randrange(2)}].{self._random.choice('xyzw')}", f"p[0].{self._random.choice('ab')}")
        odd = f"u[0].{self._random.choice('pqr')}"
        return self._random.choice((self._place(base)[0], self._place(base)[0], *(base + field for field in (*fields, odd))))

    def _register(self) -> str:
        return f"r{self._random.randrange(3)}"

    def _value(self) -> str:
        return self._random.choice((self._register(), str(self._random.choice((0, 1, 2, 255, 256))), f"table[{self._random.randrange(4)}]"))

    def _bytes(self, base: str) -> str:
        return f"&{base}b[{self._random.choice((0, 0, 1, 4, 8))}]"

    # ---- statements ----

    def _statement(self, bases: tuple[str, str], nested: bool = False) -> str:
        source = self._random
        base, other = source.choice(bases), source.choice(bases)
        kinds = [self._plain, self._plain, self._atomic, self._wide, self._call, self._instruction, self._string]
        if not nested and source.random() < 0.15:
            then, otherwise = (self._statement(bases, nested=True) for _ in range(2))
            return f"if ({self._any_place(base)} {source.choice(('==', '&', '>'))} {self._value()}) {{ {then} }} else {{ {otherwise} }}"
        return source.choice(kinds)(base, other)

    def _plain(self, base: str, other: str) -> str:
        place, register, value = self._any_place(base), self._register(), self._value()
        size = self._random.choice((8, 16, 32, 64))
        at_odds = f"*(volatile u{size} *){self._bytes(base)}"
        return self._random.choice(
            (
                f"{register} = {place};",
                f"{place} = {value};",
                f"{place} {self._random.choice(('+=', '|=', '^='))} {value};",
                f"{place}++;",
                f"{place} = {self._any_place(other)};",
                f"{at_odds} = {value};",
                f"{register} += {at_odds};",
                f"own.q[0] = {register}; {place} = own.w[1];",
                f"for (int i = 0; i < 3; i++) {register} += {base}b[2 * i];",
            )
        )

    def _atomic(self, base: str, other: str) -> str:
        place, kind = self._place(base)
        register, value = self._register(), self._value()
        name = self._random.choice(("fetch_add", "fetch_or", "fetch_xor", "and_fetch", "exchange_n", "fetch_nand"))
        exchange = f"__atomic_compare_exchange_n(&{place}, &e, {self._value()}, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)"
        wide = f"__sync_val_compare_and_swap(&{base}o[0], e, ((u128){self._value()} << 64) + {value})"
        return self._random.choice(
            (
                f"{register} = __atomic_{name}(&{place}, {value}, __ATOMIC_SEQ_CST);",
                f"__atomic_{name}(&{place}, {value}, __ATOMIC_RELAXED);",
                f"{{ {kind} e = {value}; {register} = {exchange}; {self._register()} += e; }}",
                f"{{ u128 e = {base}o[0], n = {wide}; {register} = n ^ n >> 64; }}",
                "__sync_synchronize();",
            )
        )

    def _wide(self, base: str, other: str) -> str:
        count = self._random.choice((1, 3, 4, 8, 12, 16))
        return self._random.choice(
            (
                f"__builtin_memcpy({self._bytes(base)}, {self._bytes(other)}, {count});",
                f"{base}p[0] = {other}p[1];",
                f"{base}t[0] = {other}t[1];",
                f"{base}v[0] += {other}v[1];",
                f"{base}o[0] += {self._value()};",
                f"{base}d[0] += (double)(int){self._value()};",
                f"{base}f[1] = (float)(short){self._value()};",
            )
        )

    def _call(self, base: str, other: str) -> str:
        area, register, value = f"({'&' + base[:-1] if base.endswith('.') else base[:-2]})", self._register(), self._value()
        return self._random.choice(
            (
                f"{register} += f_add({area}, {value});",
                f"f_swap(&{base}w[{self._random.randrange(3)}], &{other}w[{self._random.randrange(3)}]);",
                f"{register} += f_four(*(struct four *){area}, {value}).a[1];",
                f"{register} = f_cases({area}, {self._any_place(other)});",
                f"{register} = f_any[({value}) & 3]({area}, {self._value()});",
                f"{register} = f_frame({area}, {value});",
            )
        )

    def _instruction(self, base: str, other: str) -> str:
        place, kind = self._place(base)
        size, register = _WIDTH[kind], self._register()
        begin, end = f"{{ {kind} k = {register}; u64 lo = {self._register()}, hi = {self._register()}; (void)k, (void)lo, (void)hi; ", " }"
        by = "q" if kind == "u8" else "r"
        texts = [
            f'__asm__ volatile("stc; {self._random.choice(_BY_ITSELF)}{size} %0" : "+m"({place}) : : "cc");',
            f'__asm__ volatile("{self._random.choice(_BY_REGISTER)}{size} %0, %1" : "+{by}"(k), "+m"({place}) : : "cc"); {register} += k;',
            f'__asm__ volatile("{self._random.choice(("clc", "stc"))}; setc %0" : "+m"({base}b[0]) : : "cc");',
            f'__asm__ volatile("{self._lock()}cmpxchg16b %2" : "+a"(lo), "+d"(hi), "+m"({base}o[0])'
            f' : "b"({self._register()}), "c"({self._register()}) : "cc"); {register} += lo ^ hi;',
            f'{{ {kind} was = {register}; __asm__ volatile("{self._lock()}cmpxchg{size} %2, %1" : "+a"(was), "+m"({place})'
            f' : "{by}"(({kind}){self._register()}) : "cc"); {register} += was; }}',
            f'__asm__ volatile("movups %1, %%xmm4; movups %%xmm4, %0" : "+m"({base}o[0]) : "m"({other}o[1]) : "xmm4");',
            f'__asm__ volatile("pushq %1; popq %0" : "+m"({base}q[1]) : "m"({other}q[0]));',
            f'__asm__ volatile("fldt %1; fstpt %0" : "+m"(*(char(*)[10]){self._bytes(base)}) : "m"(*(char(*)[10])&{other}b[2]));',
            f'__asm__ volatile("fildll %1; fistpll %0" : "+m"({base}q[0]) : "m"({other}q[1]));',
        ]
        if kind != "u8":
            name = self._random.choice(("bts", "btr", "lock; bts", "lock; btc"))
            texts += [
                f'__asm__ volatile("{name}{size} %2, %0; setc %b1" : "+m"({place}), "+q"(lo)'
                f' : "r"(({kind})({register} & {self._random.choice((7, 63, 127))})) : "cc"); {register} += lo;',
                f'__asm__ volatile("test{size} %0, %0; cmovz{size} %1, %0" : "+r"(k) : "m"({place}) : "cc"); {register} += k;',
            ]
        if kind in ("u32", "u64"):  # Unicorn 2.1 does the one of 16 bits otherwise than processors do
            texts.append(f'__asm__ volatile("shld{size} $3, %1, %0" : "+m"({place}) : "r"(k) : "cc");')
        return begin + self._random.choice(texts) + end

    def _lock(self) -> str:
        return self._random.choice(("", "lock; "))

    def _string(self, base: str, other: str) -> str:
        name, size, register = self._random.choice(_STRINGS), self._random.choice("bwlq"), self._register()
        count = self._random.choice((1, 2, 2, 3)) if size != "q" else self._random.choice((1, 2))
        return (
            f"{{ void *d = {self._bytes(base)}, *s = {self._bytes(other)}; u64 n = {count}, x = {self._register()}; u8 z = 0;"
            f' __asm__ volatile("cmp %%eax, %%eax; {name}{size}; sete %4" : "+D"(d), "+S"(s), "+c"(n), "+a"(x), "+q"(z)'
            ' : : "memory", "cc");'
            f" {register} += n + x + z; }}"
        )

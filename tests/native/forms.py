"""Forms of instructions that access memory: each is the body of a function of (shared, own), where both are 64 bytes and more, and aligned.

A read answers in rax whether what is shared is something else than zeros; a write makes it so. `;` parts instructions.
"""

from __future__ import annotations

READS = {
    "mov": "mov (%rdi),%rax",
    "movzx": "movzbl (%rdi),%eax",
    "cmp": "xor %eax,%eax; cmpl $0,(%rdi); setne %al",
    "cmov": "xor %eax,%eax; cmp %eax,%eax; cmove (%rdi),%rax",
    "push": "push (%rdi); pop %rax",
    "bt by an immediate": "xor %eax,%eax; btl $3,(%rdi); setc %al",
    "bt by a register": "xor %eax,%eax; mov $3,%ecx; bt %ecx,(%rdi); setc %al",
    "bt beyond its operand": "xor %eax,%eax; sub $64,%rdi; mov $515,%ecx; bt %ecx,(%rdi); setc %al",
    "bt before its operand": "xor %eax,%eax; add $64,%rdi; mov $-510,%rcx; bt %rcx,(%rdi); setc %al",
    "lods": "xchg %rdi,%rsi; lodsq",
    "rep lods": "mov %rdi,%rsi; mov $1,%ecx; rep lodsb; movzbl %al,%eax",
    "scas": "xor %eax,%eax; scasb; setne %al",
    "repe scas": "xor %eax,%eax; mov $16,%ecx; cmp %eax,%eax; repe scasb; setne %al",
    "repne scas, backwards": "mov $255,%eax; add $16,%rdi; mov $17,%ecx; std; repne scasb; cld; sete %al; movzbl %al,%eax",
    "repe cmps": "xor %eax,%eax; mov $4,%ecx; cmp %eax,%eax; repe cmpsb; setne %al",
    "movs": "xchg %rdi,%rsi; movsq; mov -8(%rdi),%rax",
    "rep movs": "xchg %rdi,%rsi; mov $8,%ecx; rep movsb; mov -8(%rdi),%rax",
    "repne movs": "xchg %rdi,%rsi; mov $8,%ecx; repne movsb; mov -8(%rdi),%rax",
    "rep movs, backwards": "xchg %rdi,%rsi; add $64,%rsi; add $64,%rdi; mov $65,%ecx; std; rep movsb; cld; mov 1(%rdi),%rax",
    "movups": "movups (%rdi),%xmm0; movq %xmm0,%rax",
    "lddqu": "lddqu (%rdi),%xmm0; movq %xmm0,%rax",
    "movntdqa": "movntdqa (%rdi),%xmm0; movq %xmm0,%rax",
    "pinsrq": "pinsrq $0,(%rdi),%xmm0; movq %xmm0,%rax",
    "mmx": "movq (%rdi),%mm0; movq %mm0,%rax; emms",
    "fild": "fildll (%rdi); fistpll (%rsi); mov (%rsi),%rax",
    "fldt": "fldt (%rdi); fstpt (%rsi); mov (%rsi),%rax",
    "crc32": "mov $0,%eax; crc32l (%rdi),%eax",
    "popcnt": "popcnt (%rdi),%rax",
    "mul": "mov $1,%eax; mulq (%rdi)",
    "cvtsi2sd": "cvtsi2sdq (%rdi),%xmm0; movq %xmm0,%rax",
    "adc": "xor %eax,%eax; adc (%rdi),%rax",
    "lock xadd": "xor %eax,%eax; lock xadd %rax,(%rdi)",
    "lock cmpxchg16b": "push %rbx; xor %eax,%eax; cltd; xor %ebx,%ebx; xor %ecx,%ecx; lock cmpxchg16b (%rdi); pop %rbx",
    "lock cmpxchg8b": "push %rbx; xor %eax,%eax; cltd; xor %ebx,%ebx; xor %ecx,%ecx; lock cmpxchg8b (%rdi); pop %rbx",
    "by fs": "mov %fs:0,%rcx; sub %rcx,%rdi; mov %fs:(%rdi),%rax",
    "by rip": "mov shared(%rip),%rax",
    "by rbp": "push %rbp; mov %rdi,%rbp; mov (%rbp),%rax; pop %rbp",
    "by rbp, which was a frame": "push %rbp; mov %rsp,%rbp; pop %rbp; push %rbp; mov %rdi,%rbp; mov 0(%rbp),%rax; pop %rbp",
    "by another's stack pointer": "mov %rsp,%rcx; mov %rdi,%rsp; mov (%rsp),%rax; mov %rcx,%rsp",
    "by an exchanged stack pointer": "xchg %rsp,%rdi; mov (%rsp),%rax; xchg %rsp,%rdi",
}
WRITES = {
    "mov": "movq $1,(%rdi)",
    "movb": "movb $1,(%rdi)",
    "setcc": "cmp %eax,%eax; sete (%rdi)",
    "pop": "push $1; pop (%rdi)",
    "inc": "incl (%rdi)",
    "not": "notl (%rdi)",
    "shl": "addl $2,(%rdi); shll (%rdi)",
    "xadd": "mov $1,%eax; xadd %rax,(%rdi)",
    "cmpxchg": "xor %eax,%eax; mov $1,%ecx; cmpxchg %rcx,(%rdi)",
    "cmpxchg8b": "push %rbx; xor %eax,%eax; cltd; mov $1,%ebx; mov $1,%ecx; cmpxchg8b (%rdi); pop %rbx",
    "bts by an immediate": "btsl $3,(%rdi)",
    "bts beyond its operand": "sub $64,%rdi; mov $515,%ecx; bts %ecx,(%rdi)",
    "btc before its operand": "add $64,%rdi; mov $-510,%rcx; btc %rcx,(%rdi)",
    "lock bts beyond its operand": "sub $64,%rdi; mov $515,%ecx; lock bts %ecx,(%rdi)",
    "stos": "mov $1,%eax; stosq",
    "rep stos": "mov $1,%eax; mov $8,%ecx; rep stosb",
    "repne stos": "mov $1,%eax; mov $8,%ecx; repne stosb",
    "rep stos, backwards": "mov $1,%eax; mov $65,%ecx; add $64,%rdi; std; rep stosb; cld",
    "movnti": "mov $1,%eax; movnti %rax,(%rdi)",
    "movntq": "pcmpeqd %mm0,%mm0; movntq %mm0,(%rdi); emms",
    "movntdq": "pcmpeqd %xmm0,%xmm0; movntdq %xmm0,(%rdi)",
    "pextrb": "pcmpeqd %xmm0,%xmm0; pextrb $0,%xmm0,(%rdi)",
    "movlps": "pcmpeqd %xmm0,%xmm0; movlps %xmm0,(%rdi)",
    "fistp": "fld1; fistpll (%rdi)",
    "fstpt": "fld1; fstpt (%rdi)",
    "fbstp": "fld1; fbstp (%rdi)",
    "fnstcw": "fnstcw (%rdi)",
    "stmxcsr": "stmxcsr (%rdi)",
    "fnstenv": "fnstenv (%rdi)",
    "by another's stack pointer": "mov %rsp,%rcx; mov %rdi,%rsp; movq $1,(%rsp); mov %rcx,%rsp",
    "by fs": "mov %fs:0,%rcx; sub %rcx,%rdi; movl $1,%fs:(%rdi)",
    "xchg": "mov $1,%eax; xchg %eax,(%rdi)",
    "lock or": "lock orl $1,(%rdi)",
    "lock dec": "lock decl (%rdi)",
    "lock sbb": "stc; lock sbbl $0,(%rdi)",
    "lock cmpxchg16b": "push %rbx; xor %eax,%eax; cltd; mov $1,%ebx; mov $1,%ecx; lock cmpxchg16b (%rdi); pop %rbx",
}
# Of a program whose addresses are fixed, below 2 GiB.
FIXED_READS = {"an address of eight bytes": "movabs shared,%rax", "an address of four bytes": "mov shared,%rax"}
FIXED_WRITES = {"an address of eight bytes": "mov $1,%eax; movabs %rax,shared"}
# By processor: vectors of 32 and of 64 bytes.
AVX2_READS = {"ymm": "vmovdqu (%rdi),%ymm0; vmovq %xmm0,%rax", "vpbroadcastd": "vpbroadcastd (%rdi),%ymm0; vmovq %xmm0,%rax"}
AVX2_WRITES = {"vextracti128": "vpcmpeqd %ymm0,%ymm0,%ymm0; vextracti128 $1,%ymm0,(%rdi)"}
AVX512_READS = {
    "zmm": "vmovdqu64 (%rdi),%zmm0; vmovq %xmm0,%rax",
    "a broadcast operand": "vpxor %xmm1,%xmm1,%xmm1; vpaddd (%rdi){1to16},%zmm1,%zmm0; vmovq %xmm0,%rax",
}
AVX512_WRITES = {
    "vpmovqb": "vpternlogd $255,%zmm0,%zmm0,%zmm0; vpmovqb %zmm0,(%rdi)",
    "kmovw": "kxnorw %k1,%k1,%k1; kmovw %k1,(%rdi)",
}
# Known, and counted as not seen.
UNSEEN = {
    "xlat": "mov %rbx,%rcx; mov %rdi,%rbx; xor %eax,%eax; xlat; mov %rcx,%rbx",
    "vpgatherdd": "vpxor %xmm2,%xmm2,%xmm2; vpcmpeqd %xmm1,%xmm1,%xmm1; vpgatherdd %xmm1,(%rdi,%xmm2,4),%xmm0",
    "vpscatterdd": "kxnorw %k1,%k1,%k1; vpscatterdd %zmm0,(%rdi,%zmm1,4){%k1}",
    "maskmovq": "pcmpeqd %mm0,%mm0; maskmovq %mm0,%mm0; emms",
    "maskmovdqu": "pcmpeqd %xmm0,%xmm0; maskmovdqu %xmm0,%xmm0",
    "vmaskmovdqu": "vmaskmovdqu %xmm0,%xmm0",
    "fxsave": "fxsave (%rdi)",
    "xsave": "mov $3,%eax; xor %edx,%edx; xsave (%rdi)",
    "clzero": "mov %rdi,%rax; clzero",
    "movdir64b": "movdir64b (%rsi),%rdi",
    "pop from another's stack": "mov %rsp,%rcx; mov %rdi,%rsp; pop %rax; mov %rcx,%rsp",
    "push to another's stack": "mov %rsp,%rcx; lea 8(%rdi),%rsp; push $1; mov %rcx,%rsp",
    "pushf to another's stack": "xchg %rsp,%rdi; pushf; xchg %rsp,%rdi",
    "leave to another's stack": "mov %rbp,%rdx; mov %rsp,%rcx; mov %rdi,%rbp; leave; mov %rbp,%rax; mov %rcx,%rsp; mov %rdx,%rbp",
    "enter on another's stack": "mov %rsp,%rcx; mov %rbp,%rdx; lea 8(%rdi),%rsp; enter $0,$0; mov %rcx,%rsp; mov %rdx,%rbp",
    "the stack of a coroutine": "push %rbx; mov %rsp,(%rdi); mov %rsi,%rsp; pop %rbx",
    "an address of 32 bits": "mov (%edi),%rax",
    "a string of 32 bits": "mov $1,%eax; addr32 stosl",
    "gs": "mov %gs:8,%rax",
}

// Compression by two workers: what comes out is what went in.
#include <assert.h>
#include <string.h>
#include <zstd.h>

int main(void)
{
    static char text[1200], packed[4096], again[1200];
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (char)(i * i / 7 % 23 + 'a');
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert(!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_nbWorkers, 2)));
    ZSTD_inBuffer half = {text, sizeof text / 2, 0}, in = {text, sizeof text, sizeof text / 2};
    ZSTD_outBuffer out = {packed, sizeof packed, 0};
    while (half.pos < half.size) // its size is not known beforehand, so that workers are used for it
        assert(!ZSTD_isError(ZSTD_compressStream2(context, &out, &half, ZSTD_e_continue)));
    while (ZSTD_compressStream2(context, &out, &in, ZSTD_e_end))
        ;
    assert(ZSTD_decompress(again, sizeof again, packed, out.pos) == sizeof text);
    assert(memcmp(text, again, sizeof text) == 0);
    ZSTD_freeCCtx(context);
    return 0;
}

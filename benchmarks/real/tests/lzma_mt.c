// liblzma: a stream encoder with two threads.
#include <assert.h>
#include <lzma.h>

int main(void)
{
    static unsigned char text[64], packed[1024];
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_mt options = {.threads = 2, .block_size = 32, .preset = 0, .check = LZMA_CHECK_CRC32};
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i % 5);
    assert(lzma_stream_encoder_mt(&stream, &options) == LZMA_OK);
    stream.next_in = text;
    stream.avail_in = sizeof text;
    stream.next_out = packed;
    stream.avail_out = sizeof packed;
    lzma_ret outcome;
    while ((outcome = lzma_code(&stream, LZMA_FINISH)) == LZMA_OK)
        ;
    assert(outcome == LZMA_STREAM_END);
    lzma_end(&stream);
    return 0;
}

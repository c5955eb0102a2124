// Two threads digest with an algorithm that each of them fetches.
#include <assert.h>
#include <openssl/evp.h>
#include <pthread.h>

static void *digester(void *out)
{
    unsigned length;
    EVP_MD *algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    assert(algorithm != NULL);
    assert(EVP_Digest("abc", 3, out, &length, algorithm, NULL) == 1 && length == 32);
    EVP_MD_free(algorithm);
    return NULL;
}

int main(void)
{
    static unsigned char outs[2][32];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&threads[i], NULL, digester, outs[i]) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(threads[i], NULL) == 0);
    assert(outs[0][0] == 0xba && outs[1][0] == 0xba && outs[0][31] == 0xad && outs[1][31] == 0xad);
    return 0;
}

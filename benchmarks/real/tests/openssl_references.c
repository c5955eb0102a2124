// Two threads share a key, and each gives its own reference back.
#include <assert.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <pthread.h>

static void *user(void *it)
{
    X509 *own = it;
    assert(X509_up_ref(own) == 1);
    X509_free(own);
    X509_free(own);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    X509 *shared = X509_new();
    for (int i = 0; i < 2; i++) {
        assert(X509_up_ref(shared) == 1);
        assert(pthread_create(&threads[i], NULL, user, shared) == 0);
    }
    X509_free(shared);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(threads[i], NULL) == 0);
    return 0;
}

// Two writers of one pipe come in either order: two traces, and no byte is lost.
// bound none: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send(void *text)
{
    assert(write(ends[1], text, 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    char bytes[4];
    assert(pipe(ends) == 0);
    pthread_create(&thread[0], NULL, send, "a");
    pthread_create(&thread[1], NULL, send, "b");
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(read(ends[0], bytes, sizeof bytes) == 2 && bytes[0] + bytes[1] == 'a' + 'b');
    return 0;
}

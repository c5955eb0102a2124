// The end of file comes when the last copy of the writing end is closed, whoever closes it; dup2 over a pipe's end closes that.
// bound none: pass
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2], copy;

static void *close_copy(void *unused)
{
    assert(write(copy, "x", 1) == 1);
    assert(close(copy) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    assert(pipe(ends) == 0);
    copy = dup(ends[1]);
    int third = fcntl(ends[1], F_DUPFD, 20), file = open("/dev/null", O_WRONLY);
    assert(copy >= 0 && third >= 20 && file >= 0);
    pthread_create(&thread, NULL, close_copy, NULL);
    assert(close(ends[1]) == 0);
    assert(dup2(file, third) == third); /* closes the third copy */
    assert(read(ends[0], &byte, 1) == 1);
    assert(read(ends[0], &byte, 1) == 0);
    pthread_join(thread, NULL);
    return 0;
}

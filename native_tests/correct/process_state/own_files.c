// Each thread has a file of its own, which is gone when the other begins: they share nothing, though the second may get the number
// (inode) of the first.
// bound none: pass
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *work(void *name)
{
    char path[256], text[8] = "";
    snprintf(path, sizeof path, "%s/%s", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (const char *)name);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert(file >= 0);
    assert(write(file, "text", 4) == 4);
    assert(pread(file, text, 4, 0) == 4);
    unlink(path);
    close(file);
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, work, "bpor-own-file-1");
    pthread_create(&other, NULL, work, "bpor-own-file-2");
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}

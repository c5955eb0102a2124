// A thread lets a descriptor lead to another file for a while: whoever uses it meanwhile uses that file.
// says: is false
// bound none: assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int file, full;

static void *borrow(void *unused)
{
    int kept = dup(file);
    dup2(full, file);
    dup2(kept, file);
    close(kept);
    return unused;
}

static void *look(void *unused)
{
    struct stat facts;
    int result = fstat(file, &facts);
    assert(result == 0 && facts.st_size == 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    FILE *stream = tmpfile(), *other = tmpfile();
    assert(stream && other);
    fputs("text", other);
    fflush(other);
    file = fileno(stream);
    full = fileno(other);
    pthread_create(&one, NULL, borrow, NULL);
    pthread_create(&two, NULL, look, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}

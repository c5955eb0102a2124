// The program maps and unmaps memory, in part too: every execution begins without those mappings.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 16 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static char *map(int pages, int protection)
{
    char *memory = mmap(NULL, (size_t)pages * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    return memory;
}

static void *use(void *unused)
{
    pthread_mutex_lock(&mutex);
    char *whole = map(PAGES, PROT_READ | PROT_WRITE), *part = map(PAGES, PROT_NONE), *kept = map(PAGES, PROT_READ | PROT_WRITE);
    for (int i = 0; i < PAGES; i++)
        assert(whole[i * PAGE] == 0 && kept[i * PAGE] == 0);
    memset(whole, 1, PAGES * PAGE);
    memset(kept, 1, PAGES * PAGE);
    assert(mprotect(part, PAGE, PROT_READ | PROT_WRITE) == 0);
    part[0] = 1;
    assert(madvise(kept, PAGE, MADV_DONTNEED) == 0 && kept[0] == 0 && kept[PAGE] == 1);
    assert(munmap(whole, PAGES * PAGE) == 0);
    assert(munmap(part + 4 * PAGE, 4 * PAGE) == 0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

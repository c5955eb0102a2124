// Pages that must not be touched (MADV_GUARD_INSTALL, which libc's thread stacks have since glibc 2.42) lie amid writable memory and
// stay as they are; where the kernel does not know them, that memory is ordinary.
// bound none: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

enum { PAGE = 4096, INSTALL_GUARD = 102 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *memory;

__attribute__((constructor)) static void before_main(void)
{
    memory = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory[0] = memory[3 * PAGE] = 'a';
    madvise(memory + PAGE, 2 * PAGE, INSTALL_GUARD);
}

static void *change(void *unused)
{
    pthread_mutex_lock(&mutex);
    memory[0]++, memory[3 * PAGE]++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    assert(memory[0] == 'a' && memory[3 * PAGE] == 'a');
    pthread_create(&one, NULL, change, NULL);
    pthread_create(&two, NULL, change, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(memory[0] == 'c' && memory[3 * PAGE] == 'c');
    return 0;
}

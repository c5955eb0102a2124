// Concurrency Kit: two threads push, one pops all.
#include <assert.h>
#include <ck_stack.h>
#include <pthread.h>

static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_stack_entry_t entries[2];

static void *pusher(void *entry)
{
    ck_stack_push_upmc(&stack, entry);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int count = 0;
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&threads[i], NULL, pusher, &entries[i]) == 0);
    for (ck_stack_entry_t *entry = ck_stack_batch_pop_upmc(&stack); entry != NULL; entry = entry->next)
        count++;
    for (int i = 0; i < 2; i++)
        assert(pthread_join(threads[i], NULL) == 0);
    for (ck_stack_entry_t *entry = ck_stack_batch_pop_upmc(&stack); entry != NULL; entry = entry->next)
        count++;
    assert(count == 2);
    return 0;
}

// Concurrency Kit: a reader in a section of an epoch, a writer that waits for it before it frees.
#include <assert.h>
#include <ck_epoch.h>
#include <ck_pr.h>
#include <pthread.h>
#include <stdlib.h>

static ck_epoch_t epoch;
static int *shared;

static void *reader(void *record)
{
    ck_epoch_section_t section;
    ck_epoch_begin(record, &section);
    int *it = ck_pr_load_ptr(&shared);
    assert(*it == 1 || *it == 2);
    ck_epoch_end(record, &section);
    return NULL;
}

int main(void)
{
    static ck_epoch_record_t records[2];
    pthread_t thread;
    ck_epoch_init(&epoch);
    for (int i = 0; i < 2; i++)
        ck_epoch_register(&epoch, &records[i], NULL);
    int *old = malloc(sizeof *old), *new = malloc(sizeof *new);
    *old = 1;
    *new = 2;
    shared = old;
    assert(pthread_create(&thread, NULL, reader, &records[1]) == 0);
    ck_pr_store_ptr(&shared, new);
    ck_epoch_synchronize(&records[0]);
    free(old);
    assert(pthread_join(thread, NULL) == 0);
    free(new);
    return 0;
}

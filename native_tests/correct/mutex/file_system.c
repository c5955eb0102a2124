// The file system of Flanagan and Godefroid (POPL 2005): threads give their inodes disk blocks, each under a lock. Up to thirteen
// touch different ones; each further thread meets one other at one block, and either may be first there.
// with THREADS=13, bound none: pass, traces 1
// with THREADS=14, bound none: pass, traces 2
// with THREADS=15, bound none: pass, traces 4
// with THREADS=16, bound none: pass, traces 8, slow
// with THREADS=14, bound preemption:0..1: pass, traces 2
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 2
#endif
enum { INODES = 32, BLOCKS = 26, TRIES = 3 };

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int block_of[INODES];
static bool busy[BLOCKS];

static void *allocate(void *argument)
{
    int inode = (int)(intptr_t)argument % INODES;
    pthread_mutex_lock(&inode_lock[inode]);
    int block = inode * 2 % BLOCKS;
    for (int tries = 0; block_of[inode] == 0 && tries < TRIES; tries++) {
        pthread_mutex_lock(&block_lock[block]);
        if (!busy[block]) {
            busy[block] = true;
            block_of[inode] = block + 1;
        }
        pthread_mutex_unlock(&block_lock[block]);
        block = (block + 1) % BLOCKS;
    }
    pthread_mutex_unlock(&inode_lock[inode]);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, allocate, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        if (block_of[i] == 0)
            return 1;
    return 0;
}

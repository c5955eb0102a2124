/* Runs the threads that its arguments describe: "r80 w14 xg0" = read 8 bytes at offset 0, write 1 byte at offset 4, add to 16
 * bytes (g) at offset 0. All are sequentially consistent atomic accesses of the same bytes; offsets are hexadecimal and aligned.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 8 };

static _Alignas(16) unsigned char area[16];

#define ACCESS(T)                                                                                                                \
    static void access_##T(char form, void *address)                                                                             \
    {                                                                                                                            \
        T *place = address;                                                                                                      \
        if (form == 'r')                                                                                                         \
            (void)__atomic_load_n(place, __ATOMIC_SEQ_CST);                                                                      \
        else if (form == 'w')                                                                                                    \
            __atomic_store_n(place, 1, __ATOMIC_SEQ_CST);                                                                        \
        else                                                                                                                     \
            __atomic_fetch_add(place, 1, __ATOMIC_SEQ_CST);                                                                      \
    }
typedef unsigned __int128 uint128_t;
ACCESS(uint8_t)
ACCESS(uint16_t)
ACCESS(uint32_t)
ACCESS(uint64_t)
ACCESS(uint128_t)

static void *run(void *script)
{
    for (const char *at = script; at[0]; at += at[3] ? 4 : 3) {
        void *address = area + strtol((char[]){at[2], '\0'}, NULL, 16);
        switch (at[1]) {
        case '1':
            access_uint8_t(at[0], address);
            break;
        case '2':
            access_uint16_t(at[0], address);
            break;
        case '4':
            access_uint32_t(at[0], address);
            break;
        case '8':
            access_uint64_t(at[0], address);
            break;
        default:
            access_uint128_t(at[0], address);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    for (int i = 1; i < argc; i++)
        pthread_create(&thread[i - 1], NULL, run, argv[i]);
    for (int i = 1; i < argc; i++)
        pthread_join(thread[i - 1], NULL);
    return 0;
}

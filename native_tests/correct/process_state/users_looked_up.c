// Two threads look up users, groups and addresses. libc loads modules and takes locks for that: its own business.
// expect: pass
#include <assert.h>
#include <grp.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *looks(void *unused)
{
    struct passwd user, *found = NULL;
    struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST}, *list = NULL;
    char room[1024];
    assert(getpwnam_r("root", &user, room, sizeof room, &found) == 0 && found->pw_uid == 0);
    assert(getaddrinfo("127.0.0.1", NULL, &wanted, &list) == 0);
    freeaddrinfo(list);
    pthread_mutex_lock(&lock);
    assert(getpwnam("root")->pw_uid == 0 && getgrgid(0)->gr_gid == 0);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, looks, NULL);
    pthread_create(&two, NULL, looks, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}

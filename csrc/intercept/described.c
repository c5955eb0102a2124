/* Calls that describe users, groups and hosts in memory of their caller. libc reads files for them, loads modules and takes
 * locks: that is its own business, and nothing of it is followed. */
#define _GNU_SOURCE
#include "intercept/state_call.h"
#include "intercept/told.h"
#include <grp.h>
#include <netdb.h>
#include <pwd.h>

#define DESCRIBED(name, type, who, key, tell)                                                                                    \
    INTERCEPT int name(who, type *facts, char *room, size_t bytes, type **answer)                                                \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        tell;                                                                                                                    \
        bpor_told_fill(facts, sizeof *facts, site);                                                                              \
        bpor_told_room(room, bytes, site);                                                                                       \
        bpor_told_fill(answer, sizeof *answer, site);                                                                            \
        bool shielded = bpor_shield_begins();                                                                                    \
        int error = REAL(name)(key, facts, room, bytes, answer);                                                                 \
        bpor_shield_ends(shielded);                                                                                              \
        bpor_told_write(room, error == 0 && *answer ? 1 : 0, site);                                                              \
        return error;                                                                                                            \
    }

DESCRIBED(getpwnam_r, struct passwd, const char *key, key, bpor_told_text(key, site))
DESCRIBED(getpwuid_r, struct passwd, uid_t key, key, (void)0)
DESCRIBED(getgrnam_r, struct group, const char *key, key, bpor_told_text(key, site))
DESCRIBED(getgrgid_r, struct group, gid_t key, key, (void)0)

INTERCEPT int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict wanted,
                          struct addrinfo **restrict list)
{
    bpor_told_text(name, CALL_SITE);
    bpor_told_text(service, CALL_SITE);
    bpor_told_read(wanted, sizeof *wanted, CALL_SITE);
    bpor_told_fill(list, sizeof *list, CALL_SITE);
    bool shielded = bpor_shield_begins();
    int error = REAL(getaddrinfo)(name, service, wanted, list);
    bpor_shield_ends(shielded);
    return error;
}

INTERCEPT void freeaddrinfo(struct addrinfo *list)
{
    bool shielded = bpor_shield_begins();
    REAL(freeaddrinfo)(list);
    bpor_shield_ends(shielded);
}

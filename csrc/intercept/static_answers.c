/* Calls whose answer lies in static data of libc, which the next call overwrites. */
#define _GNU_SOURCE
#include "intercept/state_call.h"
#include "runtime/runtime.h"
#include <grp.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <shadow.h>
#include <stdlib.h>
#include <unistd.h>

OVERWRITTEN(char *, ecvt, (double number, int digits, int *point, int *sign), (number, digits, point, sign))
OVERWRITTEN(char *, fcvt, (double number, int digits, int *point, int *sign), (number, digits, point, sign))
OVERWRITTEN(char *, qecvt, (long double number, int digits, int *point, int *sign), (number, digits, point, sign))
OVERWRITTEN(char *, qfcvt, (long double number, int digits, int *point, int *sign), (number, digits, point, sign))
OVERWRITTEN(char *, l64a, (long number), (number))
OVERWRITTEN(char *, ttyname, (int fd), (fd))
OVERWRITTEN(char *, ptsname, (int fd), (fd))
OVERWRITTEN(char *, getlogin, (void), ())
OVERWRITTEN(char *, ether_ntoa, (const struct ether_addr *address), (address))
OVERWRITTEN(struct ether_addr *, ether_aton, (const char *text), (text))
OVERWRITTEN(struct hostent *, gethostbyaddr, (const void *address, socklen_t bytes, int type), (address, bytes, type))
OVERWRITTEN(struct hostent *, gethostbyname2, (const char *name, int type), (name, type))
OVERWRITTEN(struct servent *, getservbyname, (const char *name, const char *protocol), (name, protocol))
OVERWRITTEN(struct servent *, getservbyport, (int port, const char *protocol), (port, protocol))
OVERWRITTEN(struct protoent *, getprotobyname, (const char *name), (name))
OVERWRITTEN(struct protoent *, getprotobynumber, (int number), (number))
OVERWRITTEN(struct netent *, getnetbyname, (const char *name), (name))
OVERWRITTEN(struct netent *, getnetbyaddr, (uint32_t net, int type), (net, type))
OVERWRITTEN(struct spwd *, getspnam, (const char *name), (name))
OVERWRITTEN(struct mntent *, getmntent, (FILE * stream), (stream))
OVERWRITTEN(struct passwd *, fgetpwent, (FILE * stream), (stream))
OVERWRITTEN(struct group *, fgetgrent, (FILE * stream), (stream))

/* Lists, of which libc keeps the place. */
OVERWRITTEN(struct passwd *, getpwent, (void), ())
OVERWRITTEN(struct group *, getgrent, (void), ())
STATE_CALL(void, setpwent, (void), (), STATE_STATICS, CHANGES)
STATE_CALL(void, endpwent, (void), (), STATE_STATICS, CHANGES)
STATE_CALL(void, setgrent, (void), (), STATE_STATICS, CHANGES)
STATE_CALL(void, endgrent, (void), (), STATE_STATICS, CHANGES)

/* The state of random and drand48. */
STATE_CALL(char *, initstate, (unsigned seed, char *state, size_t bytes), (seed, state, bytes), STATE_RANDOM, LOOKS | CHANGES)
STATE_CALL(char *, setstate, (char *state), (state), STATE_RANDOM, LOOKS | CHANGES)
STATE_CALL(unsigned short *, seed48, (unsigned short seed[3]), (seed), STATE_RANDOM, LOOKS | CHANGES)
STATE_CALL(void, lcong48, (unsigned short parameters[7]), (parameters), STATE_RANDOM, CHANGES)

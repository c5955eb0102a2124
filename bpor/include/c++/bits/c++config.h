/* libstdc++'s configuration, with one thing changed: members of strings are instantiated where they are used, so that
 * `bpor-native c++` instruments them, and are not called ready made in the library, where nobody sees what they do. It is a
 * setting that the header has for its own debug mode; streams stay where they are. */
#include_next <bits/c++config.h>

#if _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif

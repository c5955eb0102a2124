"""Calls into system libraries whose accesses of the program's memory are not seen.

An instrumented or patched program tells its own accesses. What a library does with memory that it is given is seen only of the functions
that are intercepted for it (csrc/intercept/told*.c, tsan_*.c and the calls beside them). Invariant: a function that is not known here, as
told or as one that touches no memory of the program's, is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from bpor.protocol.known_calls import CALLS, TOLD_BY_TABLE

_TOLD = """
memcpy memmove memset memcmp memchr strlen strnlen strcpy strncpy stpcpy strcat strncat strcmp strncmp strcasecmp strncasecmp strchr
strrchr strstr strspn strcspn strpbrk strdup strndup strtok_r atoi atol atoll atof strtol strtoul strtoll strtoull strtod strtof qsort
mempcpy memrchr memmem strchrnul strcasestr __strdup strsep wcslen wmemcpy wmemmove wmemset wmemchr wmemcmp
__memcpy_chk __memmove_chk __mempcpy_chk __memset_chk __strcpy_chk __stpcpy_chk __strncpy_chk
__strcat_chk __strncat_chk sprintf snprintf vsprintf vsnprintf __sprintf_chk __snprintf_chk __vsprintf_chk
__vsnprintf_chk sscanf vsscanf __isoc99_sscanf __isoc99_vsscanf printf fprintf vprintf vfprintf __printf_chk __fprintf_chk
__vprintf_chk __vfprintf_chk dprintf vdprintf __dprintf_chk __vdprintf_chk
puts fputs fwrite fread __fread_chk fgets __fgets_chk getline getdelim read __read_chk write readv writev
pread pread64 __pread_chk __pread64_chk preadv preadv64 pwrite pwrite64 pwritev pwritev64 stat lstat fstat fstatat stat64 lstat64
fstat64 fstatat64 statx readlink readlinkat realpath getcwd
process_vm_readv process_vm_writev getsockopt setsockopt fread_unlocked fwrite_unlocked fgets_unlocked fputs_unlocked
time gettimeofday clock_gettime timespec_get localtime_r gmtime_r ctime_r
asctime_r strftime __getdelim pthread_create pthread_join pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np thrd_join
pthread_getname_np pthread_key_create tss_create posix_memalign sem_getvalue pipe pipe2 socketpair fgetpos
open getenv getopt getrlimit getrlimit64 setrlimit tsearch lfind insque iconv mbrtowc rand_r drand48_r sigprocmask
sigpending sigaction sigwait sigwaitinfo sigtimedwait timerfd_settime timerfd_gettime
wait waitpid wait4 waitid poll ppoll select epoll_wait nanosleep sem_timedwait
"""
TOLD = frozenset(_TOLD.split())

# They take and give numbers, handles, names that nobody changes, or objects of their own that are operations: by name, by family (what a
# name begins with), and what is written more shortly as a pattern, which is compiled only if a program calls something else.
_NAMES = """
__once_proxy bsearch htonl htons ntohl ntohs call_once malloc calloc realloc free aligned_alloc memalign posix_memalign malloc_usable_size
exit _exit _Exit quick_exit abort atexit at_quick_exit __gxx_personality_v0 __stack_chk_fail __fortify_fail __errno_location
__tls_get_addr __gmon_start__ syscall getpid gettid getppid getenv secure_getenv sysconf get_nprocs getpagesize isatty raise kill clock
rand random srand srandom srand48 putc putchar getc getchar ungetc close fsync fdatasync rmdir remove access faccessat chdir fchdir chmod
fchmod umask opendir closedir munmap mprotect madvise epoll_ctl listen shutdown abs labs llabs alarm getpwnam_r getpwuid_r getgrnam_r
getgrgid_r getaddrinfo freeaddrinfo send sendto recv __recv_chk recvfrom sendmsg recvmsg __isoc99_fscanf __isoc99_scanf __isoc99_vfscanf
scandir scandir64 scandirat scandirat64 tmpnam tempnam mktemp bind connect getsockname getpeername _ZNKSt5ctypeIcE13_M_widen_initEv
_ZNKSt5ctypeIcE14_M_narrow_initEv _ZSt13set_terminatePFvvE _ZSt14set_unexpectedPFvvE _ZSt14get_unexpectedv _ZSt15set_new_handlerPFvvE
_ZSt15get_new_handlerv _ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE _ZNSt3pmr20get_default_resourceEv tzset shm_open shm_unlink
setlogmask openlog closelog textdomain bindtextdomain bind_textdomain_codeset gettext dgettext dcgettext ngettext fwide __fpending
__fbufsize __flbf __freading __fwriting __fpurge feof_unlocked ferror_unlocked clearerr_unlocked fflush_unlocked setbuf setbuffer
setlinebuf fegetround fesetround feclearexcept feraiseexcept fetestexcept getchar_unlocked putchar_unlocked inotify_init inotify_init1
setenv unsetenv clearenv mkstemp mkstemp64 mkdtemp mkostemp mkostemps mkstemps getrandom getentropy alphasort alphasort64 arc4random
arc4random_uniform uselocale __uselocale __newlocale __duplocale __freelocale strerror fdopen dirfd fdopendir readdir readdir64 link
linkat fchmodat ungetwc localtime gmtime ctime asctime getpwnam getgrnam gethostbyname getpwuid getgrgid fork _Fork vfork daemon pclose
flockfile ftrylockfile funlockfile fgetc_unlocked _IO_putc fallocate posix_fallocate valloc pvalloc chown lchown fchownat mkfifo mkfifoat
mknod mknodat eaccess euidaccess freopen freopen64 mkostemp64 mkostemps64 mkstemps64 close_range closefrom getpgid getsid setpgid
__pthread_once __pthread_getspecific __pthread_setspecific killpg tgkill sigqueue pause sigsuspend timerfd_create
"""
_HARMLESS_NAMES = frozenset(_NAMES.split())
_FAMILIES = """
pthread_ sem_ thrd_ mtx_ cnd_ tss_ sched_ __cxa_ _Unwind_ __assert_ _ITM_ __ctype_ _ZNSt6thread _ZNSt12__basic_file
_ZNSt18condition_variable _ZNSt6chrono _ZNSt8ios_base4Init _ZNSt9exceptionD _ZNSt3_V2 _ZNSt13random_device _ZNSt15__exception_ptr bpor_
__tsan_ Annotate
"""
_HARMLESS_FAMILIES = tuple(_FAMILIES.split())
# Of those families: they write into memory of the program's, or change what other threads see, and nobody is told.
_NOT_HARMLESS = r"""
    pthread_(getcpuclockid|[sg]etname_np|kill_other_threads_np|mutexattr_[sg]etrobust_np|yield)
    | sched_([sg]et(param|scheduler|affinity|attr)|rr_get_interval) | __cxa_demangle
    """
_HARMLESS = r"""
    _IO_([gp]etc|f(try)?lockfile|funlockfile|\w+_used) | __libc_(start_main|current_sigrt(min|max)|single_threaded|stack_end|enable_secure)
    | __atomic_(?!compare_exchange)\w+_(1|2|4|8|16) | __pthread_(mutex|rwlock)_\w+
    | _{0,2}(nl_langinfo|wctype|iswctype|tow(lower|upper))_l | wctob | btowc | __u?(div|mod|divmod)[dt]i[34]
    | dl(open|close|sym|vsym|error) | _Zn[wa]\w* | _Zd[la]P\w* | __\w*chk_fail
    | is(alnum|alpha|cntrl|digit|graph|lower|print|punct|space|upper|xdigit|w\w+) | to(lower|upper|w\w+) | get(e?uid|e?gid)
    | (u|nano|clock_nano)?sleep | [dlm]rand48 | f(open|open64|close|flush|seek|seeko(64)?|tell|tello(64)?|eof|error|putc|getc|ileno)
    | open(at)?(64)? | __open(at)?(64)?_2 | creat(64)? | dup[23]? | lseek(64)? | f?truncate(64)? | unlink(at)? | rename(at2?)?
    | mkdir(at)? | mmap(64)? | eventfd(_write)? | epoll_create1? | socket(pair)? | a?(sin|cos|tan)h?[fl]? | atan2[fl]? | exp2?[fl]?
    | expm1[fl]? | log(1p|2|10|b)?[fl]? | pow[fl]? | sqrt[fl]? | cbrt[fl]?
    | rewind | clearerr | [fg]etw?c(_unlocked)? | f?putw?c(_unlocked)? | fputws | f[gs]etpos(64)? | setvbuf | tmpfile(64)?
    | fcntl(64)? | flock | signal | [sg]etrlimit(64)? | [sg]etpriority | nice | on_exit | wait(pid|4|id)? | s?brk
    | t(search|find|delete) | l(search|find) | insque | remque | h(create|destroy|search)(_r)? | iconv(_open|_close)?
    | mbr?len | mbrtowc | wcrtomb | mbsrtowcs | wcsrtombs | getopt(_long(_only)?)? | nl_langinfo | setlocale | localeconv
    | (rand|random|srandom|initstate|setstate|[dlm]rand48|srand48)_r | [enj]rand48 | shm(get|at) | memfd_create | mremap
    | (floor|ceil|round|trunc|rint|nearbyint|lround|llround|lrint|llrint|fabs|fmod|fmin|fmax|fdim|fma|hypot|copysign|remainder)[fl]?
    | _ZSt\d*__throw_\w+ | _ZSt\d*terminatev | _ZSt\d*get_terminatev | _ZSt\d*uncaught_exceptions?v | _ZNSt11this_thread\w*
    | _ZNS?K?St\d*(bad_\w+|logic_error|runtime_error|out_of_range|invalid_argument|system_error|length_error)\w*
    """


# Functions of a Python interpreter that make something new, look at what never changes, are operations otherwise, or belong to the thread.
# Not those of such families that write into memory of their caller's or change what is shared: they are named unless they are steps.
_HARMLESS_IN_PYTHON = r"""
    (?!PyMember_SetOne$|PyContext_(Enter|Exit)$|PyState_(Add|Remove)Module$|PyArg_Va\w+$|_PyArg_(Va)?Parse(Stack|TupleAndKeywordsFast)\w*$
        |PyUnicode_FromFormatV$|PyBytes_FromFormatV$|PyErr_FormatV$|Py_VaBuildValue$|PyBuffer_(FillContiguousStrides|GetPointer)$
        |_PyTime_(From|Object|As)\w+$|_PyCode_[GS]etExtra$|PyEval_Call(Function|Method)$|PyOS_mystrnicmp$|PyMember_GetOne$|PyFloat_Pack2$
        |PyFloat_Unpack2$|_PyLong_FromDigits$|_PySlice_GetLongIndices$|PyCode_Addr2Location$|PyLong_(Free)?Export$)
    (_?Py(Err|Exc|Arg|Long|Float|Complex|Bool|Unicode|Bytes|Tuple|Mem|Type|Module|ModuleDef|Capsule|Eval|GILState|Thread|ThreadState|State
        |Import|InterpreterState|CFunction|CMethod|Descr|Code|Frame|TraceBack|Slice|Buffer|Mutex|CriticalSection\d?|OS|StructSequence|Contexts?
        |ContextVar|Member|DateTime|Hash|Time|Method|InstanceMethod|StaticMethod|ClassMethod|Wrapper|Gen|Coro|AsyncGen|Exception|GC)_\w+
    | _?PyObject_(Malloc|Calloc|Realloc|Free|Init|InitVar|New|NewVar|Del|GC_\w+|GenericGetAttr|ClearWeakRefs|CallFinalizerFromDealloc
        |CallFinalizer|AsFileDescriptor|Type|SelfIter|HashNotImplemented|CheckBuffer|Print|GetTypeData)
    | _?Py(Object|Var)_(GC_)?(New|NewVar|Resize|Del|Track|UnTrack|IsFinalized|IsTracked)
    | _PyObject_(New|NewVar|GC_\w+|NextNotImplemented|GetMethod) | Py(Dict|List|ByteArray)_New | _PyDict_NewPresized | PyByteArray_From\w+
    | _?Py_(BuildValue\w*|VaBuildValue|EnterRecursiveCall|LeaveRecursiveCall|AtExit|Get\w+|Is\w+|FatalError\w*
        |CheckFunctionResult|AddPendingCall
        |HashPointer|HashDouble|HashBytes|ReprEnter|ReprLeave|Version|Initialize\w*|Finalize\w*
        |NegativeRefcount|RefTotal|DecRefShared\w*|MergeZeroLocalRefcount)
    | _?Py\w+_Type | _Py_\w+Struct | _Py_EllipsisObject | _PyByteArray_empty_string
    | PyInit_\w+ | PyMarshal_\w+ | PyVectorcall_Function | PyMemoryView_FromMemory | PyMemoryView_FromBuffer | PyObject_GetState)
    """


def unseen_python_calls(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the interpreter's functions that a module imports that reach objects and are no steps."""
    asked = (name for name in set(names) if name.startswith(("Py", "_Py")) and name not in CALLS)
    return tuple(sorted(name for name in asked if not _pattern(_HARMLESS_IN_PYTHON).fullmatch(name)))


def unseen_calls(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the functions that a module imports whose accesses are not seen, by name."""
    asked = (name for name in set(names) if name not in TOLD and name not in TOLD_BY_TABLE and not name.startswith(("Py", "_Py")))
    return tuple(sorted(name for name in asked if not _is_harmless(name)))


def _is_harmless(name: str) -> bool:
    return (
        name in _HARMLESS_NAMES
        or (name.startswith(_HARMLESS_FAMILIES) and name.isidentifier() and not _pattern(_NOT_HARMLESS).fullmatch(name))
        or _pattern(_HARMLESS).fullmatch(name) is not None
    )


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.VERBOSE)

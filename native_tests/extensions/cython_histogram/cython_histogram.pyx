"""A histogram that counts with the GIL let go.

Breaks so: both threads read the same count of a bin and write the same successor: a data race.
Fixed: the addition is atomic.
"""
# cython: language_level=3

cdef extern from *:
    """
    #ifdef FIXED
    #define ONE_MORE(count) __atomic_fetch_add(count, 1, __ATOMIC_RELAXED)
    #else
    #define ONE_MORE(count) ((*(count))++)
    #endif
    """
    void ONE_MORE(long *count) noexcept nogil


cdef class Histogram:
    cdef long bins[4]

    def __cinit__(self):
        for i in range(4):
            self.bins[i] = 0

    def add(self, int value):
        cdef long *count = &self.bins[value & 3]
        with nogil:
            ONE_MORE(count)

    def counted(self, int value):
        return self.bins[value & 3]

# What is plain C in hot.py once it is compiled. Names that are missing here stay Python's.

cimport cython

cdef bint COMPILED
cdef Py_ssize_t EVENT_LIMIT
cdef int _Q, _SYNC, _PARSE, _READY
cdef Py_ssize_t _HEADER
cdef int _READABLE


@cython.final
cdef class Cycles:
    cdef public Py_ssize_t pending
    cdef public int last
    cdef public int status
    cdef public bytes since
    cdef public Py_ssize_t answered
    cdef public bint failed
    cdef public bint cancelled
    cdef public bint mixed
    cdef public bint unusual
    cdef public double started
    cdef public bytes chunk

    cpdef sent(self, int kind)
    cpdef note_since(self, bytes data, Py_ssize_t cut, Py_ssize_t end)
    cpdef count_answers(self, bytes data, Py_ssize_t end)


cdef class ClientWalk:
    cdef public Cycles _cycles
    cdef public object _to_server
    cdef public object _clock
    cdef public object interceptor
    cdef public object upwards
    cdef public bytes table
    cdef public bint slow
    cdef public bytes rest
    cdef public Py_ssize_t skip
    cdef public bint looking
    cdef public object passing
    cdef public bytes same
    cdef public bytes like

    @cython.locals(
        cycles=Cycles,
        size=Py_ssize_t,
        at=Py_ssize_t,
        cut=Py_ssize_t,
        end=Py_ssize_t,
        length=Py_ssize_t,
        kind=int,
        behind=bint,
        unseen=bint,
        bare=bytes,
        kept=bytes,
        head="const unsigned char *",
        watched="const unsigned char *",
    )
    cpdef data(self, bytes data)
    cdef bint is_quick(self, int kind) except -1


cdef class ServerWalk:
    cdef public Cycles _cycles
    cdef public object _to_client
    cdef public object _clock
    cdef public object upwards
    cdef public bytes table
    cdef public bint slow
    cdef public bytes rest
    cdef public Py_ssize_t skip
    cdef public double slow_after
    cdef public bint awaited

    @cython.locals(
        cycles=Cycles,
        size=Py_ssize_t,
        at=Py_ssize_t,
        length=Py_ssize_t,
        kind=int,
        now=double,
        kept=bytes,
        head="const unsigned char *",
        watched="const unsigned char *",
    )
    cpdef data(self, bytes data)


cdef extern from *:
    """
    #include <errno.h>
    #include <math.h>
    #include <string.h>
    #include <sys/socket.h>
    #include <time.h>
    #ifdef __linux__
    #include <sys/epoll.h>
    #endif

    #ifndef MSG_NOSIGNAL  /* macOS; Python ignores the signal anyway */
    #define MSG_NOSIGNAL 0
    #endif

    /* how much of it a socket took, without waiting; below 0: it failed */
    static Py_ssize_t rewright_taken_at_once(int number, const char *data, Py_ssize_t size) {
        ssize_t taken = send(number, data, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (taken < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
            return 0;
        return (Py_ssize_t)taken;
    }

    /* whether head[at:end] is what is known; of nothing, not */
    static int rewright_is_same(
        const unsigned char *head, Py_ssize_t at, Py_ssize_t end, const char *known, Py_ssize_t size)
    {
        return size > 0 && end - at == size && memcmp(head + at, known, (size_t)size) == 0;
    }

    /* whether head[at:end] without its digits is what is known */
    static int rewright_is_like(
        const unsigned char *head, Py_ssize_t at, Py_ssize_t end, const char *known, Py_ssize_t size)
    {
        Py_ssize_t met = 0;
        for (; at < end; at++) {
            unsigned char c = head[at];
            if (c >= '0' && c <= '9')
                continue;
            if (met == size || c != (unsigned char)known[met])
                return 0;
            met++;
        }
        return size > 0 && met == size;
    }

    static double rewright_seconds_now(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    }

    #ifdef __linux__
    #define REWRIGHT_EVENTS 128
    /* each loop has a thread of its own */
    static __thread struct epoll_event rewright_events[REWRIGHT_EVENTS];

    /* how many events there are, after the seconds at most; a signal's handlers have run then */
    static Py_ssize_t rewright_ready_within(int number, double seconds) {
        /* rounded up: a timer must be due when the wait for it is over */
        int most = seconds <= 0 ? 0 : seconds > 86400 ? 86400000 : (int)ceil(seconds * 1000);
        int found;
        if (most == 0) {
            found = epoll_wait(number, rewright_events, REWRIGHT_EVENTS, 0);
        } else {
            PyThreadState *state = PyEval_SaveThread();
            found = epoll_wait(number, rewright_events, REWRIGHT_EVENTS, most);
            PyEval_RestoreThread(state);
        }
        if (found >= 0)
            return found;
        if (errno == EINTR)
            return PyErr_CheckSignals() < 0 ? -2 : 0;
        PyErr_SetFromErrno(PyExc_OSError);
        return -2;
    }

    static int rewright_ready_number(Py_ssize_t place) { return rewright_events[place].data.fd; }
    static int rewright_ready_events(Py_ssize_t place) { return (int)rewright_events[place].events; }
    #else
    static Py_ssize_t rewright_ready_within(int number, double seconds) {
        (void)number, (void)seconds;
        PyErr_SetString(PyExc_OSError, "there is no epoll here");
        return -2;
    }
    static int rewright_ready_number(Py_ssize_t place) { (void)place; return -1; }
    static int rewright_ready_events(Py_ssize_t place) { (void)place; return 0; }
    #endif

    /* what the socket has, of a size that two reads seldom beat; None: nothing now, b"": its end or an error */
    static PyObject *rewright_read_at_once(int number) {
        static __thread char piece[262144];
        ssize_t size = recv(number, piece, sizeof piece, MSG_DONTWAIT);
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
            Py_RETURN_NONE;
        return PyBytes_FromStringAndSize(piece, size < 0 ? 0 : size);
    }
    """
    double seconds_now "rewright_seconds_now" ()
    Py_ssize_t ready_within "rewright_ready_within" (int number, double seconds) except -2
    int ready_number "rewright_ready_number" (Py_ssize_t place)
    int ready_events "rewright_ready_events" (Py_ssize_t place)
    object read_at_once "rewright_read_at_once" (int number)
    bint is_same "rewright_is_same" (
        const unsigned char *head, Py_ssize_t at, Py_ssize_t end, const char *known, Py_ssize_t size)
    bint is_like "rewright_is_like" (
        const unsigned char *head, Py_ssize_t at, Py_ssize_t end, const char *known, Py_ssize_t size)
    Py_ssize_t taken_at_once "rewright_taken_at_once" (int number, const char *data, Py_ssize_t size)


cdef class Outlet:
    cdef public object send
    cdef public int number
    cdef public bint queued

    @cython.locals(sent=Py_ssize_t)
    cpdef write(self, bytes data)


@cython.final
cdef class Poller:
    cdef public object failed
    cdef public list handlers
    cdef public bint wanted

    cpdef hand(self, int number, object handler)

    @cython.locals(
        others=list,
        found=Py_ssize_t,
        place=Py_ssize_t,
        which=int,
        events=int,
        left=double,
        end=double,
    )
    cpdef wait(self, int number, double seconds)

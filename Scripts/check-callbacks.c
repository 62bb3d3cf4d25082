// Counts what a sound server's callbacks must not do: a library to be loaded ahead of the others (LD_PRELOAD), which
// stands between a program and the functions that take memory, locks and references. See check-callbacks.
//
// A thread is watched from the first time on that libpulse asks it for sound or hands it some. What is called there is
// put down to whoever wanted it: the C library and Swift's runtime only do what they are told, so the stack is followed
// through them, to the program itself ("ours") or to a library with a mind of its own, as libpulse.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef enum {
  MALLOC, CALLOC, REALLOC, FREE, MEMALIGN,
  MUTEX_LOCK, MUTEX_TRYLOCK, RWLOCK, COND_WAIT, SEM_WAIT, SEM_POST, SLEEP, WRITE,
  RETAIN, RELEASE, ALLOC_OBJECT,
  FUNCTIONS,
} function;

static const char *const names[FUNCTIONS] = {
  "malloc", "calloc", "realloc", "free", "memalign",
  "mutex lock", "mutex trylock", "rwlock", "condition wait", "semaphore wait", "semaphore post", "sleep", "write",
  "retain", "release", "allocate object",
};

enum { MODULES = 64, SITES = 64 };
static struct { const void *base; const char *path; atomic_ulong counts[FUNCTIONS]; } modules[MODULES];
static struct { const void *address; function called; atomic_ulong count; } sites[SITES];
static atomic_ulong callbacks;
static const void *program, *self;

// To see that anything is found at all, every thread can be watched.
#ifndef WATCH_ALL
#define WATCH_ALL 0
#endif
static __thread int is_watched __attribute__((tls_model("initial-exec"))) = WATCH_ALL;
static __thread int is_busy __attribute__((tls_model("initial-exec")));

static const void *base_of(const void *address, const char **path) {
  Dl_info info;
  if (!dladdr(address, &info)) return NULL;
  *path = info.dli_fname;
  return info.dli_fbase;
}

// Whether a library only does what it is told.
static int is_runtime(const void *base, const char *path) {
  if (base == self) return 1;
  const char *slash = strrchr(path, '/');
  const char *file = slash ? slash + 1 : path;
  static const char *const runtimes[] = {
    "libc.so", "ld-linux", "libpthread", "libm.so", "libswift", "libstdc++", "libgcc_s", "libdispatch", "libBlocksRuntime",
  };
  for (size_t index = 0; index < sizeof runtimes / sizeof *runtimes; index++)
    if (!strncmp(file, runtimes[index], strlen(runtimes[index]))) return 1;
  return 0;
}

// Which thread came first does not matter: a race costs an entry, not a count.
static void count(const void *base, const char *path, const void *address, function called) {
  for (int index = 0; index < MODULES; index++) {
    if (modules[index].base && modules[index].base != base) continue;
    modules[index].base = base;
    modules[index].path = path;
    atomic_fetch_add(&modules[index].counts[called], 1);
    break;
  }
  for (int index = 0; base == program && index < SITES; index++) {
    if (sites[index].address && (sites[index].address != address || sites[index].called != called)) continue;
    sites[index].address = address;
    sites[index].called = called;
    atomic_fetch_add(&sites[index].count, 1);
    break;
  }
}

static void note(function called) {
  if (!is_watched || is_busy) return;
  is_busy = 1;
  void *stack[48];
  int depth = backtrace(stack, 48);
  for (int frame = 0; frame < depth; frame++) {
    const char *path = "";
    const void *base = base_of(stack[frame], &path);
    if (!base || is_runtime(base, path)) continue;
    count(base, path, stack[frame], called);
    break;
  }
  is_busy = 0;
}

// --- What is watched --------------------------------------------------------------------------------------------------

// glibc's own names, since looking a function up may itself want memory.
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) { note(MALLOC); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { note(CALLOC); return __libc_calloc(number, size); }
void *realloc(void *memory, size_t size) { note(REALLOC); return __libc_realloc(memory, size); }
void free(void *memory) { note(FREE); __libc_free(memory); }
void *memalign(size_t alignment, size_t size) { note(MEMALIGN); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { note(MEMALIGN); return __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  note(MEMALIGN);
  return (*memory = __libc_memalign(alignment, size)) ? 0 : 12;
}

// Everything else is looked up on its first call.
#define WATCH(type, name, parameters, arguments, called) \
  type name parameters { \
    static type (*_Atomic real) parameters; \
    if (!real) real = (type (*) parameters)dlsym(RTLD_NEXT, #name); \
    note(called); \
    return real arguments; \
  }
WATCH(int, pthread_mutex_lock, (pthread_mutex_t *lock), (lock), MUTEX_LOCK)
WATCH(int, pthread_mutex_trylock, (pthread_mutex_t *lock), (lock), MUTEX_TRYLOCK)
WATCH(int, pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock), RWLOCK)
WATCH(int, pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock), RWLOCK)
WATCH(int, pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *lock), (condition, lock), COND_WAIT)
WATCH(int, pthread_cond_timedwait, (pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until),
  (condition, lock, until), COND_WAIT)
WATCH(int, sem_wait, (sem_t *semaphore), (semaphore), SEM_WAIT)
WATCH(int, sem_timedwait, (sem_t *semaphore, const struct timespec *until), (semaphore, until), SEM_WAIT)
WATCH(int, sem_post, (sem_t *semaphore), (semaphore), SEM_POST)
WATCH(int, nanosleep, (const struct timespec *time, struct timespec *rest), (time, rest), SLEEP)
WATCH(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *rest),
  (clock, flags, time, rest), SLEEP)
WATCH(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size), WRITE)

// Swift's runtime, where a program is linked with it dynamically.
WATCH(void *, swift_retain, (void *object), (object), RETAIN)
WATCH(void *, swift_retain_n, (void *object, uint32_t number), (object, number), RETAIN)
WATCH(void *, swift_bridgeObjectRetain, (void *object), (object), RETAIN)
WATCH(void *, swift_bridgeObjectRetain_n, (void *object, uint32_t number), (object, number), RETAIN)
WATCH(void, swift_release, (void *object), (object), RELEASE)
WATCH(void, swift_release_n, (void *object, uint32_t number), (object, number), RELEASE)
WATCH(void, swift_bridgeObjectRelease, (void *object), (object), RELEASE)
WATCH(void, swift_bridgeObjectRelease_n, (void *object, uint32_t number), (object, number), RELEASE)
WATCH(void *, swift_allocObject, (const void *type, size_t size, size_t mask), (type, size, mask), ALLOC_OBJECT)

// --- Which threads ----------------------------------------------------------------------------------------------------

// The program looks libpulse's functions up by name: two of them it gets from here, and with them callbacks of ours
// that call its own.
typedef void (*request)(void *stream, size_t bytes, void *user);
typedef void (*set_request)(void *stream, request callback, void *user);
static struct { set_request set; request callback; void *user; } reading, writing;

static void read_request(void *stream, size_t bytes, void *user) {
  is_watched = 1;
  atomic_fetch_add(&callbacks, 1);
  reading.callback(stream, bytes, reading.user);
}

static void write_request(void *stream, size_t bytes, void *user) {
  is_watched = 1;
  atomic_fetch_add(&callbacks, 1);
  writing.callback(stream, bytes, writing.user);
}

static void set_read_callback(void *stream, request callback, void *user) {
  if (callback) reading.callback = callback, reading.user = user;
  reading.set(stream, callback ? read_request : NULL, user);
}

static void set_write_callback(void *stream, request callback, void *user) {
  if (callback) writing.callback = callback, writing.user = user;
  writing.set(stream, callback ? write_request : NULL, user);
}

void *dlsym(void *library, const char *name) {
  static void *(*_Atomic real)(void *, const char *);
  if (!real) real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (!real) real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  if (!strcmp(name, "pa_stream_set_read_callback")) {
    reading.set = (set_request)real(library, name);
    return (void *)set_read_callback;
  }
  if (!strcmp(name, "pa_stream_set_write_callback")) {
    writing.set = (set_request)real(library, name);
    return (void *)set_write_callback;
  }
  // What RTLD_NEXT means depends on who asks: this call has to be the last thing here, which the compiler makes a jump.
  return real(library, name);
}

// --- The report -------------------------------------------------------------------------------------------------------

static int find_program(struct dl_phdr_info *info, size_t size, void *data) {
  // The first is the program; any address in it tells its base as dladdr sees it.
  const char *path;
  program = base_of((const char *)info->dlpi_addr + info->dlpi_phdr[0].p_vaddr, &path);
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  const char *path;
  self = base_of((const void *)begin, &path);
  dl_iterate_phdr(find_program, NULL);
  // Its first call loads a library.
  void *stack[1];
  backtrace(stack, 1);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("CALLBACKS_REPORT");
  is_watched = 0;
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "callbacks %lu\n", callbacks);
  for (int index = 0; index < MODULES && modules[index].base; index++) {
    const char *slash = strrchr(modules[index].path, '/');
    for (int called = 0; called < FUNCTIONS; called++)
      if (modules[index].counts[called])
        fprintf(file, "%s: %s %lu\n", modules[index].base == program ? "ours" : slash ? slash + 1 : modules[index].path,
                names[called], modules[index].counts[called]);
  }
  for (int index = 0; index < SITES && sites[index].address; index++)
    fprintf(file, "at 0x%tx: %s %lu\n", (const char *)sites[index].address - (const char *)program,
            names[sites[index].called], sites[index].count);
  fclose(file);
}

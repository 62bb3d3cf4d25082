// Makes a system call fail, the n-th of its kind, for Scripts/check-faults. Loaded in front of the C library
// (LD_PRELOAD), it sees every call about the files of one folder.
//
// FAULTS_FOLDER  the folder; calls about anything else are none of our business
// FAULTS_REPORT  where to write how many calls of each kind there were, when the program ends
// FAULTS_CALL    the kind of call, as it is named in `kinds` below
// FAULTS_NUMBER  which one, counted from 1
// FAULTS_ACTION  what happens to it: the name of an error number; `short` for half of what was asked for; `kill-before`,
//                `kill-after` and `term-after` for a signal to the program itself
// FAULTS_STICKY  1: to all later calls of the kind as well. 2: to later calls of all kinds that take room on a disk
// FAULTS_PLAIN   1: the file system knows no files without a name
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

typedef enum {
  OPEN, READ, WRITE, COPY, ALLOCATE, SYNC, RENAME, LINK, UNLINK, TRUNCATE, STAT, LOCK, MAP, RING, MODE, SEEK, CLOSE, KINDS,
} kind;

static const char *const kinds[] = {
  "open", "read", "write", "copy", "allocate", "sync", "rename", "link", "unlink", "truncate", "stat", "lock", "map",
  "ring", "mode", "seek", "close",
};

static const struct { const char *name; int number; } errors[] = {
  {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EINTR", EINTR}, {"EACCES", EACCES}, {"EMFILE", EMFILE}, {"EPERM", EPERM},
  {"EXDEV", EXDEV}, {"ENOSYS", ENOSYS}, {"EOPNOTSUPP", EOPNOTSUPP}, {"ENOMEM", ENOMEM}, {"EDQUOT", EDQUOT},
  {"EROFS", EROFS}, {"EINVAL", EINVAL}, {"ENOLCK", ENOLCK}, {"EWOULDBLOCK", EWOULDBLOCK}, {"EFBIG", EFBIG},
};

// --- What is to happen ------------------------------------------------------------------------------------------------

typedef enum { NOTHING, ERROR, SHORT, KILL_BEFORE, KILL_AFTER, TERM_AFTER } action;

static const char *folder, *report;
static size_t folder_length;
static int wanted_kind = -1, sticky, is_plain, error_number;
static unsigned long wanted_number;
static action wanted_action;
static atomic_ulong counts[KINDS];
static atomic_int is_triggered;
static atomic_bool is_ours[1024];

__attribute__((constructor)) static void begin(void) {
  const char *text;
  folder = getenv("FAULTS_FOLDER");
  folder_length = folder ? strlen(folder) : 0;
  report = getenv("FAULTS_REPORT");
  if ((text = getenv("FAULTS_CALL")))
    for (int index = 0; index < KINDS; index++)
      if (!strcmp(text, kinds[index])) wanted_kind = index;
  if ((text = getenv("FAULTS_NUMBER"))) wanted_number = strtoul(text, NULL, 10);
  if ((text = getenv("FAULTS_STICKY"))) sticky = atoi(text);
  if ((text = getenv("FAULTS_PLAIN"))) is_plain = atoi(text);
  if (!(text = getenv("FAULTS_ACTION"))) return;
  if (!strcmp(text, "short")) wanted_action = SHORT;
  if (!strcmp(text, "kill-before")) wanted_action = KILL_BEFORE;
  if (!strcmp(text, "kill-after")) wanted_action = KILL_AFTER;
  if (!strcmp(text, "term-after")) wanted_action = TERM_AFTER;
  for (size_t index = 0; index < sizeof errors / sizeof *errors; index++)
    if (!strcmp(text, errors[index].name)) wanted_action = ERROR, error_number = errors[index].number;
}

__attribute__((destructor)) static void end(void) {
  FILE *file = report ? fopen(report, "w") : NULL;
  if (!file) return;
  for (int index = 0; index < KINDS; index++) fprintf(file, "%s %lu\n", kinds[index], counts[index]);
  fclose(file);
}

static int takes_room(kind called) { return called == WRITE || called == COPY || called == ALLOCATE; }

// Counts a call.
static action note(kind called) {
  unsigned long number = atomic_fetch_add(&counts[called], 1) + 1;
  int is_it = (int)called == wanted_kind && number == wanted_number;
  if (is_it) is_triggered = 1;
  if (!is_it && is_triggered && sticky)
    is_it = sticky == 2 ? takes_room(called) : (int)called == wanted_kind;
  if (!is_it) return NOTHING;
  if (wanted_action == KILL_BEFORE) kill(getpid(), SIGKILL);
  return wanted_action;
}

static void after(action what) {
  if (what != KILL_AFTER && what != TERM_AFTER) return;
  int saved = errno;
  kill(getpid(), what == KILL_AFTER ? SIGKILL : SIGTERM);
  errno = saved;
}

// --- Which files ------------------------------------------------------------------------------------------------------

static int is_inside(const char *path) {
  return folder && path && !strncmp(path, folder, folder_length) && (!path[folder_length] || path[folder_length] == '/');
}

static int is_open(int file) { return file >= 0 && file < 1024 && is_ours[file]; }

static void adopt(int file, int is_it) {
  if (file >= 0 && file < 1024) is_ours[file] = is_it;
}

// --- The calls --------------------------------------------------------------------------------------------------------

// Each is looked up on its first call, which may come before this library is set up.
#define REAL(type, name, ...) \
  static type (*_Atomic real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

// A call that gives a number, or -1.
#define CALL(type, name, parameters, arguments, condition, called) \
  type name parameters { \
    static type (*_Atomic real) parameters; \
    if (!real) real = (type (*) parameters)dlsym(RTLD_NEXT, #name); \
    if (!(condition)) return real arguments; \
    action what = note(called); \
    if (what == ERROR) return errno = error_number, -1; \
    type result = real arguments; \
    after(what); \
    return result; \
  }

// One that may do less than was asked of it.
#define TRANSFER(type, name, parameters, arguments, condition, called, count) \
  type name parameters { \
    static type (*_Atomic real) parameters; \
    if (!real) real = (type (*) parameters)dlsym(RTLD_NEXT, #name); \
    if (!(condition)) return real arguments; \
    action what = note(called); \
    if (what == ERROR) return errno = error_number, -1; \
    if (what == SHORT && count > 1) count /= 2; \
    type result = real arguments; \
    after(what); \
    return result; \
  }

static int open_with(int (*real)(int, const char *, int, mode_t), int at, const char *path, int flags, mode_t mode) {
  if (!is_inside(path)) return real(at, path, flags, mode);
  if (is_plain && (flags & O_TMPFILE) == O_TMPFILE) return errno = EOPNOTSUPP, -1;
  action what = note(OPEN);
  if (what == ERROR) return errno = error_number, -1;
  int file = real(at, path, flags, mode);
  adopt(file, 1);
  after(what);
  return file;
}

static int real_open(int at, const char *path, int flags, mode_t mode) {
  REAL(int, openat, int, const char *, int, ...);
  return real(at, path, flags, mode);
}

#define MODE_OF(flags) \
  mode_t mode = 0; \
  if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }
int open(const char *path, int flags, ...) { MODE_OF(flags) return open_with(real_open, AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return open_with(real_open, AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE_OF(flags) return open_with(real_open, at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE_OF(flags) return open_with(real_open, at, path, flags, mode); }

int close(int file) {
  REAL(int, close, int);
  if (!is_open(file)) return real(file);
  action what = note(CLOSE);
  adopt(file, 0);
  int result = real(file);
  after(what);
  // The kernel closes a file whatever it says of it.
  return what == ERROR ? errno = error_number, -1 : result;
}

int dup3(int file, int other, int flags) {
  REAL(int, dup3, int, int, int);
  int result = real(file, other, flags);
  if (result >= 0) adopt(result, is_open(file));
  return result;
}

int fcntl(int file, int command, ...) {
  REAL(int, fcntl, int, int, ...);
  va_list list;
  va_start(list, command);
  long argument = va_arg(list, long);
  va_end(list);
  int result = real(file, command, argument);
  if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0) adopt(result, is_open(file));
  return result;
}
int fcntl64(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  long argument = va_arg(list, long);
  va_end(list);
  return fcntl(file, command, argument);
}

TRANSFER(ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count), is_open(file), READ, count)
TRANSFER(ssize_t, pread, (int file, void *bytes, size_t count, off_t at), (file, bytes, count, at), is_open(file), READ, count)
TRANSFER(ssize_t, pread64, (int file, void *bytes, size_t count, off_t at), (file, bytes, count, at), is_open(file), READ, count)
TRANSFER(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count), is_open(file), WRITE, count)
TRANSFER(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at), is_open(file), WRITE, count)
TRANSFER(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at), is_open(file), WRITE, count)
TRANSFER(ssize_t, copy_file_range, (int file, off_t *at, int other, off_t *there, size_t count, unsigned flags),
  (file, at, other, there, count, flags), is_open(file) || is_open(other), COPY, count)
CALL(int, fallocate, (int file, int mode, off_t at, off_t count), (file, mode, at, count), is_open(file), ALLOCATE)
CALL(int, fallocate64, (int file, int mode, off_t at, off_t count), (file, mode, at, count), is_open(file), ALLOCATE)
CALL(int, fsync, (int file), (file), is_open(file), SYNC)
CALL(int, fdatasync, (int file), (file), is_open(file), SYNC)
CALL(int, sync_file_range, (int file, off_t at, off_t count, unsigned flags), (file, at, count, flags), is_open(file), SYNC)
CALL(int, ftruncate, (int file, off_t size), (file, size), is_open(file), TRUNCATE)
CALL(int, ftruncate64, (int file, off_t size), (file, size), is_open(file), TRUNCATE)
CALL(int, fstat, (int file, struct stat *info), (file, info), is_open(file), STAT)
CALL(int, fstat64, (int file, struct stat64 *info), (file, info), is_open(file), STAT)
CALL(int, stat, (const char *path, struct stat *info), (path, info), is_inside(path), STAT)
CALL(int, stat64, (const char *path, struct stat64 *info), (path, info), is_inside(path), STAT)
CALL(int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags), is_inside(path), STAT)
CALL(int, flock, (int file, int operation), (file, operation), is_open(file), LOCK)
CALL(int, rename, (const char *from, const char *to), (from, to), is_inside(from), RENAME)
CALL(int, link, (const char *from, const char *to), (from, to), is_inside(to), LINK)
CALL(int, linkat, (int at, const char *from, int other, const char *to, int flags), (at, from, other, to, flags), is_inside(to), LINK)
CALL(int, unlink, (const char *path), (path), is_inside(path), UNLINK)
CALL(int, fchmod, (int file, mode_t mode), (file, mode), is_open(file), MODE)
CALL(int, fchown, (int file, uid_t owner, gid_t group), (file, owner, group), is_open(file), MODE)
CALL(off_t, lseek, (int file, off_t at, int from), (file, at, from), is_open(file), SEEK)
CALL(off_t, lseek64, (int file, off_t at, int from), (file, at, from), is_open(file), SEEK)

void *mmap(void *place, size_t size, int protection, int flags, int file, off_t at) {
  REAL(void *, mmap, void *, size_t, int, int, int, off_t);
  action what = is_open(file) ? note(MAP) : NOTHING;
  if (what == ERROR) return errno = error_number, MAP_FAILED;
  void *result = real(place, size, protection, flags, file, at);
  after(what);
  return result;
}
void *mmap64(void *place, size_t size, int protection, int flags, int file, off_t at) {
  return mmap(place, size, protection, flags, file, at);
}

long syscall(long number, ...) {
  REAL(long, syscall, long, ...);
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (int index = 0; index < 6; index++) arguments[index] = va_arg(list, long);
  va_end(list);
  action what = NOTHING;
  if (number == SYS_renameat2 && is_inside((const char *)arguments[1])) what = note(RENAME);
  if (number == SYS_io_uring_setup || number == SYS_io_uring_register || number == SYS_io_uring_enter) what = note(RING);
  if (what == ERROR) return errno = error_number, -1;
  long result = real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  after(what);
  return result;
}

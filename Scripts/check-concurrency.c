// Makes a program slow at the places where it reads and changes files, by random waits in front of system calls: so that
// what two of them do at the same time meets in ever other ways. Loaded into it with LD_PRELOAD.
//
// DELAY_SEED tells the waits apart, DELAY_MICROSECONDS is the longest of them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static unsigned long long state;
static unsigned long longest;

__attribute__((constructor)) static void begin(void) {
  const char *seed = getenv("DELAY_SEED");
  const char *delay = getenv("DELAY_MICROSECONDS");
  state = (seed ? strtoull(seed, NULL, 10) : 1) * 2654435769u + 1;
  longest = delay ? strtoul(delay, NULL, 10) : 2000;
}

static void wait_somewhat(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  // Every other call goes on at once, so that waits are not all the same distance apart.
  if (longest > 0 && (state >> 40) % 2 == 0) usleep((useconds_t)((state >> 20) % longest));
}

#define DELAYED(result, name, parameters, arguments)                                             \
  result name parameters {                                                                       \
    static result(*real) parameters;                                                             \
    if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, #name);                             \
    wait_somewhat();                                                                             \
    return real arguments;                                                                       \
  }

DELAYED(ssize_t, pread, (int file, void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
DELAYED(ssize_t, pread64, (int file, void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
DELAYED(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
DELAYED(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
DELAYED(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
DELAYED(ssize_t, copy_file_range, (int in, off_t *from, int out, off_t *to, size_t count, unsigned flags),
        (in, from, out, to, count, flags))
DELAYED(int, fallocate, (int file, int mode, off_t offset, off_t count), (file, mode, offset, count))
DELAYED(int, fallocate64, (int file, int mode, off_t offset, off_t count), (file, mode, offset, count))
DELAYED(int, ftruncate, (int file, off_t size), (file, size))
DELAYED(int, ftruncate64, (int file, off_t size), (file, size))
DELAYED(int, fdatasync, (int file), (file))
DELAYED(int, fsync, (int file), (file))
DELAYED(int, flock, (int file, int operation), (file, operation))
DELAYED(int, rename, (const char *from, const char *to), (from, to))
DELAYED(int, linkat, (int old, const char *from, int folder, const char *to, int flags), (old, from, folder, to, flags))

#define _GNU_SOURCE
#include "CLinux.h"
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

// glibc hands the words to whatever runs before main; other C libraries do not.
static int word_count;
static char **words;

#ifdef __GLIBC__
__attribute__((constructor)) static void note_words(int count, char **values) {
  word_count = count;
  words = values;
}
#endif

const char *lyrebird_word(int number) {
  return number >= 0 && number < word_count ? words[number] : NULL;
}

ssize_t lyrebird_copy_file_range(int input, off_t *offset, int output, size_t count) {
  return copy_file_range(input, offset, output, NULL, count, 0);
}

int lyrebird_allocate(int file, off_t count) {
  return fallocate(file, 0, 0, count);
}

int lyrebird_insert_range(int file, off_t offset, off_t count) {
  return fallocate(file, FALLOC_FL_INSERT_RANGE, offset, count);
}

int lyrebird_reserve(int file, off_t offset, off_t count) {
  return fallocate(file, FALLOC_FL_KEEP_SIZE, offset, count);
}

int lyrebird_collapse_range(int file, off_t offset, off_t count) {
  return fallocate(file, FALLOC_FL_COLLAPSE_RANGE, offset, count);
}

long lyrebird_file_system(int file) {
  struct statfs info;
  return fstatfs(file, &info) == 0 ? (long)info.f_type : -1;
}

ssize_t lyrebird_attribute_names(const char *path, char *names, size_t size) {
  return listxattr(path, names, size);
}

ssize_t lyrebird_attribute(const char *path, const char *name, void *value, size_t size) {
  return getxattr(path, name, value, size);
}

int lyrebird_set_attribute(int file, const char *name, const void *value, size_t size) {
  return fsetxattr(file, name, value, size, 0);
}

int lyrebird_redirect(int file, int other) {
  return dup3(other, file, O_CLOEXEC);
}

int lyrebird_duplicate(int file) {
  return fcntl(file, F_DUPFD_CLOEXEC, 0);
}

// As a number, as the C library may be older than the call, or may not have it at all.
int lyrebird_rename_new(const char *from, const char *to) {
  return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1 /* RENAME_NOREPLACE */);
}

int lyrebird_ring_setup(unsigned requests, struct io_uring_params *parameters) {
  return syscall(SYS_io_uring_setup, requests, parameters);
}

int lyrebird_ring_register_file(int ring, int file) {
  return syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, &file, 1);
}

int lyrebird_ring_register_memory(int ring, void *start, size_t count) {
  struct iovec memory = {start, count};
  return syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &memory, 1);
}

// In C, as Swift would have to name constants whose types differ between versions of Linux's headers.
void lyrebird_ring_request_read(struct io_uring_sqe *request, unsigned long long offset, void *target, unsigned count,
                                unsigned long long number) {
  *request = (struct io_uring_sqe){
    .opcode = IORING_OP_READ_FIXED,
    .flags = IOSQE_FIXED_FILE,
    .off = offset,
    .addr = (unsigned long)target,
    .len = count,
    .user_data = number,
  };
}

int lyrebird_ring_enter(int ring, unsigned requests, unsigned answers) {
  return syscall(SYS_io_uring_enter, ring, requests, answers, IORING_ENTER_GETEVENTS, NULL, 0);
}

// A byte that no file has, so that nothing else is locked by it.
static struct flock mark(short kind) {
  struct flock mark = {.l_type = kind, .l_whence = SEEK_SET, .l_start = 0x7FFFFFFF00000000, .l_len = 1};
  return mark;
}

int lyrebird_mark(int file) {
  struct flock own = mark(F_WRLCK);
  return fcntl(file, F_OFD_SETLK, &own);
}

int lyrebird_is_marked(int file) {
  struct flock found = mark(F_WRLCK);
  return fcntl(file, F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK;
}

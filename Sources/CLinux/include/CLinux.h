// System calls of Linux that the C library shows to Swift only when asked to. Nothing here looks at a byte of a file.
#pragma once
#include <linux/io_uring.h>
#include <sys/types.h>

/// A word that the program was called with, 0 for its own name; NULL after the last one, or where the C library does not
/// tell. Swift reads them from /proc, which a sandbox may not have.
const char *lyrebird_word(int number);

/// Copies between files inside the kernel; see copy_file_range(2). Bytes copied, or -1 with errno.
ssize_t lyrebird_copy_file_range(int input, off_t *offset, int output, size_t count);

/// Gives a file blocks for its first bytes and makes it that long; see fallocate(2). 0, or -1 with errno.
int lyrebird_allocate(int file, off_t count);

/// Inserts a hole, which moves all that is after it without copying; see fallocate(2), FALLOC_FL_INSERT_RANGE. 0, or -1
/// with errno.
int lyrebird_insert_range(int file, off_t offset, off_t count);

/// Gives a file blocks, also after its end, which stays where it is; see fallocate(2), FALLOC_FL_KEEP_SIZE. 0, or -1
/// with errno.
int lyrebird_reserve(int file, off_t offset, off_t count);

/// Takes a range out, which moves all that is after it without copying; see fallocate(2), FALLOC_FL_COLLAPSE_RANGE. 0,
/// or -1 with errno.
int lyrebird_collapse_range(int file, off_t offset, off_t count);

/// Which kind of file system a file is on, as the number in statfs(2); -1 with errno.
long lyrebird_file_system(int file);

/// The names of a file's extended attributes, each with a zero after it; see listxattr(2). Bytes, or -1 with errno.
ssize_t lyrebird_attribute_names(const char *path, char *names, size_t size);

/// The value of an extended attribute; see getxattr(2). Bytes, or -1 with errno.
ssize_t lyrebird_attribute(const char *path, const char *name, void *value, size_t size);

/// Gives an open file an extended attribute; see fsetxattr(2). 0, or -1 with errno.
int lyrebird_set_attribute(int file, const char *name, const void *value, size_t size);

/// Has one descriptor lead to what another one leads to, closed when a program is run; see dup3(2). The descriptor, or -1
/// with errno.
int lyrebird_redirect(int file, int other);

/// Another descriptor of the same open file, closed when a program is run; see fcntl(2), F_DUPFD_CLOEXEC. The descriptor,
/// or -1 with errno.
int lyrebird_duplicate(int file);

/// Marks an open file as one that grows, until it is closed; see fcntl(2), F_OFD_SETLK. 0, or -1 with errno.
int lyrebird_mark(int file);

/// Whether another open of the file was marked.
int lyrebird_is_marked(int file);

/// Gives a file another name, unless that is taken; see rename(2), RENAME_NOREPLACE. 0, or -1 with errno.
int lyrebird_rename_new(const char *from, const char *to);

/// A new io_uring for so many requests at a time; see io_uring_setup(2). Its descriptor, or -1 with errno.
int lyrebird_ring_setup(unsigned requests, struct io_uring_params *parameters);

/// Makes a file known to an io_uring, as its number 0; see io_uring_register(2). At least 0, or -1 with errno.
int lyrebird_ring_register_file(int ring, int file);

/// Makes memory known to an io_uring, as its number 0; see io_uring_register(2). At least 0, or -1 with errno.
int lyrebird_ring_register_memory(int ring, void *start, size_t count);

/// Fills in a request: to read from file 0 to memory 0, and to answer by this number.
void lyrebird_ring_request_read(struct io_uring_sqe *request, unsigned long long offset, void *target, unsigned count,
                                unsigned long long number);

/// Hands in requests and waits for answers; see io_uring_enter(2). Requests taken, or -1 with errno.
int lyrebird_ring_enter(int ring, unsigned requests, unsigned answers);

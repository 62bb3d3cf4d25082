#define _GNU_SOURCE
#include "CPulse.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

// For each function a pointer, filled on loading, and the function that calls through it.
#define DEFINE(type, name, parameters, arguments) \
  static type(*name##_pointer) parameters; \
  type pulse_##name parameters { return name##_pointer arguments; }
LYREBIRD_PULSE_FUNCTIONS(DEFINE)

static int result = -1;

// Whether the program, which comes first, was linked to be started by a loader. Without one, as where it was linked
// statically, its libc crashes when it tries to load a library.
static int names_loader(struct dl_phdr_info *program, size_t size, void *unused) {
  for (int index = 0; index < program->dlpi_phnum; index++) {
    if (program->dlpi_phdr[index].p_type == PT_INTERP) return 1;
  }
  return -1;
}

static void load(void) {
  if (dl_iterate_phdr(names_loader, 0) != 1) return;
  // Never closed again: threads of the library may still be about to return into it.
  void *library = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  int missing = 0;
#define LOOK_UP(type, name, parameters, arguments) \
  *(void **)&name##_pointer = dlsym(library, "pa_" #name); \
  missing += !name##_pointer;
  LYREBIRD_PULSE_FUNCTIONS(LOOK_UP)
  result = missing ? -1 : 0;
}

int lyrebird_pulse_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return result;
}

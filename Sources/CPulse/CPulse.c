#include "CPulse.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>

// For each function a pointer, filled on loading, and the function that calls through it.
#define DEFINE(type, name, parameters, arguments) \
  static type(*name##_pointer) parameters; \
  type pulse_##name parameters { return name##_pointer arguments; }
LYREBIRD_PULSE_FUNCTIONS(DEFINE)

static int result = -1;

static void load(void) {
  // A program that is linked statically was started without a loader, and its libc crashes when it tries to be one.
  if (!getauxval(AT_BASE)) return;
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

// The part of libpulse that is used here, declared anew so that building needs none of its headers.
//
// The library is loaded when it is first needed (`lyrebird_pulse_load`); until then no other function may be called.
// Types and numbers are libpulse's binary interface, which has not changed since version 1.0; Scripts/check-pulse-layout
// compares them with its headers where these are installed.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct pa_threaded_mainloop pa_threaded_mainloop;
typedef struct pa_mainloop_api pa_mainloop_api;
typedef struct pa_context pa_context;
typedef struct pa_stream pa_stream;
typedef struct pa_operation pa_operation;
typedef struct pa_proplist pa_proplist;

enum { LYREBIRD_PULSE_CHANNELS_MAX = 32 };

typedef struct lyrebird_pulse_spec {
  int32_t format;
  uint32_t rate;
  uint8_t channels;
} lyrebird_pulse_spec;

typedef struct lyrebird_pulse_map {
  uint8_t channels;
  int32_t map[LYREBIRD_PULSE_CHANNELS_MAX];
} lyrebird_pulse_map;

typedef struct lyrebird_pulse_volume {
  uint8_t channels;
  uint32_t values[LYREBIRD_PULSE_CHANNELS_MAX];
} lyrebird_pulse_volume;

typedef struct lyrebird_pulse_buffer {
  uint32_t maxlength;
  uint32_t tlength;
  uint32_t prebuf;
  uint32_t minreq;
  uint32_t fragsize;
} lyrebird_pulse_buffer;

/// The beginning of pa_sink_info and of pa_source_info, which are the same that far. `monitor` is the index of the
/// sink's monitor, or of the sink that a source is the monitor of, all ones for none.
typedef struct lyrebird_pulse_device {
  const char *name;
  uint32_t index;
  const char *description;
  lyrebird_pulse_spec spec;
  lyrebird_pulse_map map;
  uint32_t owner_module;
  lyrebird_pulse_volume volume;
  int mute;
  uint32_t monitor;
} lyrebird_pulse_device;

/// The beginning of pa_server_info.
typedef struct lyrebird_pulse_server {
  const char *user_name;
  const char *host_name;
  const char *server_version;
  const char *server_name;
  lyrebird_pulse_spec spec;
  const char *default_sink_name;
  const char *default_source_name;
} lyrebird_pulse_server;

enum {
  LYREBIRD_PULSE_S16LE = 3,
  LYREBIRD_PULSE_FLOAT32LE = 5,

  LYREBIRD_PULSE_CONTEXT_READY = 4,
  LYREBIRD_PULSE_CONTEXT_FAILED = 5,
  LYREBIRD_PULSE_CONTEXT_TERMINATED = 6,
  LYREBIRD_PULSE_CONTEXT_NOAUTOSPAWN = 1,

  LYREBIRD_PULSE_STREAM_READY = 2,
  LYREBIRD_PULSE_STREAM_FAILED = 3,
  LYREBIRD_PULSE_STREAM_TERMINATED = 4,

  LYREBIRD_PULSE_START_CORKED = 0x1,
  LYREBIRD_PULSE_INTERPOLATE_TIMING = 0x2,
  LYREBIRD_PULSE_AUTO_TIMING_UPDATE = 0x8,
  LYREBIRD_PULSE_NO_REMAP_CHANNELS = 0x10,
  LYREBIRD_PULSE_DONT_MOVE = 0x200,
  LYREBIRD_PULSE_ADJUST_LATENCY = 0x2000,

  LYREBIRD_PULSE_ERROR_NO_ENTITY = 5,
};

typedef void (*lyrebird_pulse_context_notify)(pa_context *context, void *user);
typedef void (*lyrebird_pulse_stream_notify)(pa_stream *stream, void *user);
typedef void (*lyrebird_pulse_stream_request)(pa_stream *stream, size_t bytes, void *user);
typedef void (*lyrebird_pulse_stream_success)(pa_stream *stream, int success, void *user);
typedef void (*lyrebird_pulse_device_list)(pa_context *context, const lyrebird_pulse_device *device, int end, void *user);
typedef void (*lyrebird_pulse_server_found)(pa_context *context, const lyrebird_pulse_server *server, void *user);
typedef void (*lyrebird_pulse_free)(void *data);

/// Loads libpulse once. Returns 0, or -1 where it is not installed or lacks a function.
int lyrebird_pulse_load(void);

// A function of libpulse each: F(result, name after pa_, parameters, arguments).
#define LYREBIRD_PULSE_FUNCTIONS(F) \
  F(pa_threaded_mainloop *, threaded_mainloop_new, (void), ()) \
  F(void, threaded_mainloop_free, (pa_threaded_mainloop * loop), (loop)) \
  F(int, threaded_mainloop_start, (pa_threaded_mainloop * loop), (loop)) \
  F(void, threaded_mainloop_stop, (pa_threaded_mainloop * loop), (loop)) \
  F(void, threaded_mainloop_lock, (pa_threaded_mainloop * loop), (loop)) \
  F(void, threaded_mainloop_unlock, (pa_threaded_mainloop * loop), (loop)) \
  F(pa_mainloop_api *, threaded_mainloop_get_api, (pa_threaded_mainloop * loop), (loop)) \
  F(pa_context *, context_new, (pa_mainloop_api * api, const char *name), (api, name)) \
  F(void, context_unref, (pa_context * context), (context)) \
  F(int, context_connect, (pa_context * context, const char *server, int flags, const void *api), \
    (context, server, flags, api)) \
  F(void, context_disconnect, (pa_context * context), (context)) \
  F(int, context_get_state, (const pa_context *context), (context)) \
  F(int, context_errno, (const pa_context *context), (context)) \
  F(void, context_set_state_callback, (pa_context * context, lyrebird_pulse_context_notify callback, void *user), \
    (context, callback, user)) \
  F(pa_operation *, context_get_server_info, (pa_context * context, lyrebird_pulse_server_found callback, void *user), \
    (context, callback, user)) \
  F(pa_operation *, context_get_sink_info_list, (pa_context * context, lyrebird_pulse_device_list callback, void *user), \
    (context, callback, user)) \
  F(pa_operation *, context_get_source_info_list, \
    (pa_context * context, lyrebird_pulse_device_list callback, void *user), (context, callback, user)) \
  F(void, operation_unref, (pa_operation * operation), (operation)) \
  F(void, operation_cancel, (pa_operation * operation), (operation)) \
  F(const char *, strerror, (int error), (error)) \
  F(pa_proplist *, proplist_new, (void), ()) \
  F(void, proplist_free, (pa_proplist * list), (list)) \
  F(int, proplist_sets, (pa_proplist * list, const char *key, const char *value), (list, key, value)) \
  F(pa_stream *, stream_new_with_proplist, \
    (pa_context * context, const char *name, const lyrebird_pulse_spec *spec, const lyrebird_pulse_map *map, \
     pa_proplist *list), \
    (context, name, spec, map, list)) \
  F(void, stream_unref, (pa_stream * stream), (stream)) \
  F(int, stream_get_state, (const pa_stream *stream), (stream)) \
  F(int, stream_connect_record, \
    (pa_stream * stream, const char *device, const lyrebird_pulse_buffer *buffer, int flags), \
    (stream, device, buffer, flags)) \
  F(int, stream_connect_playback, \
    (pa_stream * stream, const char *device, const lyrebird_pulse_buffer *buffer, int flags, \
     const lyrebird_pulse_volume *volume, pa_stream *sync), \
    (stream, device, buffer, flags, volume, sync)) \
  F(int, stream_disconnect, (pa_stream * stream), (stream)) \
  F(void, stream_set_state_callback, (pa_stream * stream, lyrebird_pulse_stream_notify callback, void *user), \
    (stream, callback, user)) \
  F(void, stream_set_read_callback, (pa_stream * stream, lyrebird_pulse_stream_request callback, void *user), \
    (stream, callback, user)) \
  F(void, stream_set_write_callback, (pa_stream * stream, lyrebird_pulse_stream_request callback, void *user), \
    (stream, callback, user)) \
  F(int, stream_peek, (pa_stream * stream, const void **data, size_t *bytes), (stream, data, bytes)) \
  F(int, stream_drop, (pa_stream * stream), (stream)) \
  F(int, stream_begin_write, (pa_stream * stream, void **data, size_t *bytes), (stream, data, bytes)) \
  F(int, stream_write, \
    (pa_stream * stream, const void *data, size_t bytes, lyrebird_pulse_free free, int64_t offset, int seek), \
    (stream, data, bytes, free, offset, seek)) \
  F(int, stream_get_time, (pa_stream * stream, uint64_t *microseconds), (stream, microseconds)) \
  F(int, stream_get_latency, (pa_stream * stream, uint64_t *microseconds, int *negative), \
    (stream, microseconds, negative)) \
  F(pa_operation *, stream_cork, (pa_stream * stream, int cork, lyrebird_pulse_stream_success callback, void *user), \
    (stream, cork, callback, user))

#define LYREBIRD_PULSE_DECLARE(type, name, parameters, arguments) type pulse_##name parameters;
LYREBIRD_PULSE_FUNCTIONS(LYREBIRD_PULSE_DECLARE)
#undef LYREBIRD_PULSE_DECLARE

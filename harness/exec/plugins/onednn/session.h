/* SPDX-License-Identifier: Apache-2.0 */
/* The library as an executor has it open. */
#ifndef ASSAY_EXEC_PLUGINS_ONEDNN_SESSION_H
#define ASSAY_EXEC_PLUGINS_ONEDNN_SESSION_H

#include "harness/exec/plugins/onednn/version3/version3.h"

typedef struct onednn {
  plugin_library_t library;
  dnnl_functions_t dnnl;
  version3_t version3; /* Where dnnl.version3 points, if the library is that. */
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_attr_t attributes; /* Of primitives that have none of their own: how exact. */
  dnnl_fpmath_mode_t fpmath;        /* Strict: no less exact than the types say. */
  bool takes_any_types;
  int threads;
  void (*set_threads)(int count); /* NULL if the library is built without OpenMP. */
  char threads_setting[ASSAY_OPTION_BYTES * 2];
  bool has_device; /* It is a build for SYCL, and this names its driver. */
  char device_setting[ASSAY_OPTION_BYTES * 2];
  char version[32];
  char file[ASSAY_OPTION_BYTES]; /* The library, as it was named. */
  const char *isa;               /* The enumerator of the newest that it may use, or "". */
  const char *hardware;
} onednn_t;

/* Fills in a session of zeros; if it fails, what is there is to be closed all the same. */
int32_t onednn_open_options(onednn_t *onednn, const char *options, assay_reason_t *reason);

/* To be called before the library works. */
void onednn_use_threads(const onednn_t *onednn);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Compile options as PJRT takes them: a serialized xla.CompileOptionsProto.  Of its fields we set
 * the few that are listed in compile_options.c; what is absent has the compiler's default. */
#ifndef ASSAY_EXEC_PJRT_COMPILE_OPTIONS_H
#define ASSAY_EXEC_PJRT_COMPILE_OPTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A debug option of the compiler, by its own name. */
typedef struct pjrt_override {
  const char *key;
  enum { PJRT_OVERRIDE_TEXT, PJRT_OVERRIDE_BOOL, PJRT_OVERRIDE_INTEGER, PJRT_OVERRIDE_FLOAT } kind;
  const char *text;
  bool truth;
  int64_t integer;
  double number;
} pjrt_override_t;

/* Which devices a program runs on, process (replica r, partition p) on device_ids[r * partitions +
 * p]; one replica and one partition is the ordinary case. */
typedef struct pjrt_compile_options {
  uint32_t replicas;
  uint32_t partitions;
  const int64_t *device_ids;
  const pjrt_override_t *overrides;
  size_t override_count;
} pjrt_compile_options_t;

/* The bytes; freed by the caller with g_byte_array_unref(). */
GByteArray *pjrt_compile_options_encode(const pjrt_compile_options_t *options);

#endif

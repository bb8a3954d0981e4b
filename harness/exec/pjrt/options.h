/* SPDX-License-Identifier: Apache-2.0 */
/* The text behind "pjrt:": the path of the plugin, and options.
 *
 *   PATH?key=value,...
 *
 * device=N chooses the device, of those that the client has.  A key that begins with xla_ is a
 * debug option of XLA's compiler, given with every program.  All others are create options of the
 * client, as the plugin's documentation has them (cpu_device_count=8, memory_fraction=0.5).  A
 * value is a truth value (true, false), an integer, a list of integers ([0,1]), a number with a
 * point or exponent, or else text; key:string=5, key:int=, key:float=, key:bool= and key:ints= say
 * which. */
#ifndef ASSAY_EXEC_PJRT_OPTIONS_H
#define ASSAY_EXEC_PJRT_OPTIONS_H

#include <glib.h>
#include <pjrt_c_api.h>

#include "harness/exec/assay_executor.h"
#include "harness/exec/pjrt/compile_options.h"

typedef struct pjrt_options {
  char *path;
  char *text;          /* What stands behind '?', or "". */
  uint32_t device;     /* Its place among the addressable devices of the client. */
  GArray *create;      /* PJRT_NamedValue */
  GArray *overrides;   /* pjrt_override_t */
  GStringChunk *texts; /* What the two point to ... */
  GPtrArray *lists;    /* ... GArray of int64_t */
} pjrt_options_t;

/* ASSAY_EXECUTOR_INVALID, with what to write instead, for what cannot be read.  On OK freed with
 * pjrt_options_free(). */
int32_t pjrt_options_parse(const char *text, pjrt_options_t *out_options, assay_reason_t *reason);
void pjrt_options_free(pjrt_options_t *options);

#endif

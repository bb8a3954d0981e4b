/* SPDX-License-Identifier: Apache-2.0 */
/* What a program in C that runs one primitive is made of. */
#ifndef ASSAY_EXEC_PLUGINS_ONEDNN_SOURCE_WRITTEN_H
#define ASSAY_EXEC_PLUGINS_ONEDNN_SOURCE_WRITTEN_H

#include "harness/exec/plugins/onednn/onednn.h"
#include "harness/exec/plugins/plugin_source.h"

typedef struct onednn_source {
  const char *library;  /* Its path, or a name that the linker finds. */
  const char *version;  /* "2.6.0" */
  const char *settings; /* "OMP_NUM_THREADS=1", of the environment. */
  const char *isa;      /* The enumerator of the newest instruction set that it may use, or "". */
  dnnl_fpmath_mode_t fpmath;
  bool is_version3; /* The calls of oneDNN 3, which has no operation descriptors. */
  const plan_t *plan;
  const void *inputs[PLAN_INPUTS_MAX]; /* As the primitive takes them, prepared. */
  const void *init; /* Of a plan that combines: in the type of the output; else NULL. */
} onednn_source_t;

#endif

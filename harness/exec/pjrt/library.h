/* SPDX-License-Identifier: Apache-2.0 */
/* A loaded PJRT plugin: its table of functions, checked against the header that we were built with,
 * and its errors as ours. */
#ifndef ASSAY_EXEC_PJRT_LIBRARY_H
#define ASSAY_EXEC_PJRT_LIBRARY_H

#include <pjrt_c_api.h>

#include "harness/exec/assay_executor.h"

/* Loads the plugin, checks its table and initializes it: an ASSAY_EXECUTOR_... code, with the
 * reason unless that is OK.  It stays loaded until the process ends: threads of it may be running.
 */
int32_t pjrt_library_open(const char *path, const PJRT_Api **out_api, assay_reason_t *reason);

/* Whether the plugin's table reaches as far as this function, and has it. */
#define PJRT_HAS(api, function)                                                    \
  ((api)->struct_size >= offsetof(PJRT_Api, function) + sizeof((api)->function) && \
   (api)->function != NULL)

/* What an error of the plugin means: it is written to `reason`, as "WHAT: CODE: text", and freed.
 * ASSAY_EXECUTOR_OK for NULL, _UNSUPPORTED for what the plugin does not implement, _FAILED for all
 * else. */
int32_t pjrt_take_error(const PJRT_Api *api, PJRT_Error *error, const char *what,
                        assay_reason_t *reason);

/* The same of an error in compiling: _UNSUPPORTED also for a program that the plugin finds invalid,
 * as few plugins tell what they do not do from what nobody may ask for. */
int32_t pjrt_take_compile_error(const PJRT_Api *api, PJRT_Error *error, assay_reason_t *reason);

/* Frees an error that nobody is to hear of. */
void pjrt_drop_error(const PJRT_Api *api, PJRT_Error *error);

/* Waits for an event and frees it; NULL is taken as happened.  As pjrt_take_error(). */
int32_t pjrt_await(const PJRT_Api *api, PJRT_Event *event, const char *what,
                   assay_reason_t *reason);

#endif

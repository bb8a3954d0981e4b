/* SPDX-License-Identifier: Apache-2.0 */
/* The module of an op that a file declares, at the sizes of one execution: its steps are broadcast
 * to known sizes, so that there is none of a program that was compiled without some of them. */
#ifndef ASSAY_EXEC_PROCESS_SIZED_MODULE_H
#define ASSAY_EXEC_PROCESS_SIZED_MODULE_H

#include "harness/exec/transport/transport.h"

/* The line from which sized_module() makes modules, for g_free(); NULL of a program that needs
 * none. */
char *sized_module_line(const program_t *program);

/* The module of `line` at the sizes of a call, or at those that stand in the line if `shapes` is
 * NULL; for g_free(). */
char *sized_module(const char *line, const call_shapes_t *shapes);

#endif

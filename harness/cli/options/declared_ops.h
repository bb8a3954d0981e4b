/* SPDX-License-Identifier: Apache-2.0 */
/* Option --ops of every verb, and ASSAY_OPS: files that declare ops. */
#ifndef ASSAY_CLI_OPTIONS_DECLARED_OPS_H
#define ASSAY_CLI_OPTIONS_DECLARED_OPS_H

#include <glib.h>

#include "harness/base/status.h"

/* Takes "--ops PATH" and "--ops=PATH" out of the arguments, and adds the ops of these files, or of
 * those in ASSAY_OPS if there are none.  Processes that this one starts get them by ASSAY_OPS.  To
 * be called before anything asks for an op. */
status_t declared_ops_take(int *inout_argc, char **argv, failure_t *error);

/* " --ops PATH" of the ops that were taken, for a command that somebody types; nothing if none
 * were. */
void declared_ops_print(GString *out_text);

#endif

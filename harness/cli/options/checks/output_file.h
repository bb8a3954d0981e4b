/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a verb writes at its end, looked at before it begins: what took an hour would else be
 * lost for a misspelt path. */
#ifndef ASSAY_CLI_OPTIONS_CHECKS_OUTPUT_FILE_H
#define ASSAY_CLI_OPTIONS_CHECKS_OUTPUT_FILE_H

#include "harness/base/status.h"

/* Whether something can be written to `path` (NULL: nothing is to be), which was given as `option`,
 * "--out".  STATUS_INVALID if its folder is not there, or it is a folder itself, STATUS_IO if the
 * folder may not be written. */
status_t output_file_check(const char *option, const char *path, failure_t *error);

#endif

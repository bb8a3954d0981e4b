/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker gets of our environment: a list of names (environment.def), and no more. */
#ifndef ASSAY_EXEC_REGISTRY_ENVIRONMENT_H
#define ASSAY_EXEC_REGISTRY_ENVIRONMENT_H

#include <stdbool.h>

/* "NAME=value" of the variables that workers get; freed with g_strfreev().  Those that the variable
 * ASSAY_WORKER_ENV names, too: names with blanks or commas between them, '*' for anything. */
char **worker_environment(void);

/* Whether a worker gets the variable of that name; `more` is the value of ASSAY_WORKER_ENV or NULL.
 * Names that end like those of credentials are passed only where `more` has them letter by letter.
 */
bool worker_environment_passes(const char *name, const char *more);

#endif

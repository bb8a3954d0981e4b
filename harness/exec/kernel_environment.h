/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of our environment that choose the kernels of a backend: whoever reproduces a result
 * must know of them. */
#ifndef ASSAY_EXEC_KERNEL_ENVIRONMENT_H
#define ASSAY_EXEC_KERNEL_ENVIRONMENT_H

#include <stdbool.h>

/* "OPENBLAS_CORETYPE=Haswell, ...": those that are set and reach the executor of that name, or
 * NULL; owned by the caller.  `is_process` says that it runs in a process of its own, which gets
 * some variables alone (registry/environment.h). */
char *kernel_environment(const char *executor, bool is_process);

/* The hardware as a backend tells it, with these variables; owned by the caller. */
char *kernel_environment_add(const char *hardware, const char *executor, bool is_process);

#endif

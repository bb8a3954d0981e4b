/* SPDX-License-Identifier: Apache-2.0 */
/* What MPFR keeps from call to call (exponent range, flags, constants): of each thread its own, in
 * a library that is built so. */
#ifndef ASSAY_ORACLES_EXACT_THREAD_STATE_H
#define ASSAY_ORACLES_EXACT_THREAD_STATE_H

#include <stdbool.h>

/* Whether several threads may compute at once. */
bool exact_state_is_by_thread(void);

/* Frees what is kept of this thread; it is computed again if need be. */
void exact_state_forget(void);

#endif

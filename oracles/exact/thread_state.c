/* SPDX-License-Identifier: Apache-2.0 */
/* MPFR's state of a thread. */
#include "oracles/exact/thread_state.h"

#include <mpfr.h>

bool exact_state_is_by_thread(void) { return mpfr_buildopt_tls_p() != 0; }

void exact_state_forget(void) { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }

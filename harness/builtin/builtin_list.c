/* SPDX-License-Identifier: Apache-2.0 */
/* The builtin executors that are listed. */
#include "harness/builtin/builtin.h"
#include "harness/model/fault.h"

/* In-order trees first, then those that the contract must permit: another order, fused nodes, wider
 * nodes, and another count of initial values. */
static const char *const models[] = {"sequential",
                                     "reverse",
                                     "pairwise",
                                     "blocked4",
                                     "blocked32",
                                     "random",
                                     "random+seed=1",
                                     "lanes4",
                                     "lanes8",
                                     "lanes16",
                                     "shuffled",
                                     "shuffled+seed=1",
                                     "sequential+fma",
                                     "reverse+fma",
                                     "pairwise+fma",
                                     "blocked32+fma",
                                     "random+fma",
                                     "lanes8+fma",
                                     "lanes16+fma",
                                     "shuffled+fma",
                                     "sequential+acc=f32",
                                     "pairwise+acc=f32",
                                     "lanes16+acc=f32",
                                     "sequential+acc=f64",
                                     "pairwise+acc=f64",
                                     "lanes8+acc=f64",
                                     "sequential+fma+acc=f32",
                                     "lanes16+fma+acc=f32",
                                     "sequential+init=0",
                                     "pairwise+init=0",
                                     "sequential+init=2",
                                     "pairwise+init=2",
                                     "random+init=3",
                                     "sequential+split=truncate",
                                     "lanes8+fma+split=truncate",
                                     "shuffled+by-term",
                                     "random+by-term+split=truncate",
                                     "lanes16+acc=f64+split=truncate",
                                     "sequential+aligned=14",
                                     "sequential+other-way",
                                     "sequential+formula=integer",
                                     "sequential+other-way+formula=integer",
                                     "pairwise+ulps=2",
                                     "random+fma+ulps=2",
                                     "shuffled+ulps=1+seed=1",
                                     "lanes8+formula=online+ulps=2",
                                     "random+formula=online",
                                     "sequential+formula=scaled",
                                     "sequential+formula=logsumexp",
                                     "random+formula=logsumexp+ulps=1",
                                     "sequential+compensated",
                                     "sequential+compensated+fma",
                                     "sequential+verifier-types",
                                     "sequential+other-way+verifier-types"};

void builtin_list(GString *out_text) {
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    g_string_append_printf(out_text, "model:%s\n", models[i]);
  }
  for (size_t i = 0; i < fault_count(); i++) {
    g_string_append_printf(out_text, "canary:%s\n", fault_at(i)->name);
  }
}

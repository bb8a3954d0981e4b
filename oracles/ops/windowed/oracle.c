/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of stablehlo.reduce_window and stablehlo.select_and_scatter: reduces of what
 * windows hold, and of what is scattered to one place. */
#include "oracles/ops/windowed/gather.h"

static const oracle_t reduce_window_oracle = {
    .op_name = "stablehlo.reduce_window",
    .has_joint_results = true, /* As those of reduce. */
    .gathering = &reduce_window_gathering,
    DERIVED_FUNCTIONS,
    .enclose = derived_enclose,
};

static const oracle_t select_and_scatter_oracle = {
    .op_name = "stablehlo.select_and_scatter",
    .gathering = &select_and_scatter_gathering,
    DERIVED_FUNCTIONS,
};

extern const oracle_t *const windowed_oracles[];
const oracle_t *const windowed_oracles[] = {&reduce_window_oracle, &select_and_scatter_oracle,
                                            NULL};

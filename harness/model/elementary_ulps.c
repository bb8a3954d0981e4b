/* SPDX-License-Identifier: Apache-2.0 */
/* The errors that a contract permits elementary functions. */
#include <string.h>

#include "harness/model/contract.h"

/* Where the ulps of each function begin: those for f64, f32, f16 and bf16 follow one another. */
static const uint8_t elementary_indices[ELEMENTARY_COUNT] = {
#define ELEMENTARY(function, ...) PERMISSION_##function##_f64,
#include "harness/model/elementary.def"
#undef ELEMENTARY
};

static uint8_t elementary_value(const contract_t *contract, elementary_t function,
                                const format_t *format) {
  const format_t *const formats[] = {&format_table[FORMAT_f64], &format_table[FORMAT_f32],
                                     &format_table[FORMAT_f16], &format_table[FORMAT_bf16]};
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    if (formats[i] != format) continue;
    return contract->values[elementary_indices[function] + i];
  }
  g_assert_not_reached();
}

static double ulps_of(const contract_t *contract, elementary_t function, const format_t *format) {
  static const double ulps[] = {1, 1, 2, 3, 4, 5, 8, 16, 64, 1024};
  return ulps[elementary_value(contract, function, format)];
}

double contract_elementary_growth(const contract_t *contract, elementary_t function,
                                  const format_t *format) {
  bool grows = function == ELEMENTARY_exp && format == &format_table[FORMAT_f32] &&
               PERMITTED(contract, exp_by_exp2) == EXP_BY_EXP2_YES;
  return grows ? 1.224 : 0;
}

double contract_elementary_ulps(const contract_t *contract, elementary_t function,
                                const format_t *format, double magnitude) {
  double ulps = ulps_of(contract, function, format);
  double growth = contract_elementary_growth(contract, function, format);
  if (growth == 0) return ulps;
  double grown = growth * MIN(magnitude, CONTRACT_EXP_MAGNITUDE_MAX);
  return MAX(ulps, ulps_of(contract, ELEMENTARY_exp2, format) + grown);
}

bool contract_elementary_is_faithful(const contract_t *contract, elementary_t function,
                                     const format_t *format) {
  return elementary_value(contract, function, format) == ULPS_FAITHFUL &&
         contract_elementary_growth(contract, function, format) == 0;
}

void contract_loosen_elementary(contract_t *contract) {
  for (size_t function = 0; function < ELEMENTARY_COUNT; function++) {
    memset(&contract->values[elementary_indices[function]], ULPS_1024, 4);
  }
}

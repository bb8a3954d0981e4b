/* SPDX-License-Identifier: Apache-2.0 */
/* Which ops a row of canaries.def, expected_causes.def, ... is about: names joined by commas; a
 * name that ends in '.' or '_' stands for all that begin so, and SUMS for the ops of SUM_OP rows.
 */
#ifndef ASSAY_TESTS_CAMPAIGN_CANARIES_CANARY_OPS_H
#define ASSAY_TESTS_CAMPAIGN_CANARIES_CANARY_OPS_H

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define SUMS "sums"

static inline bool canary_is_sum(const char *name) {
#define CANARY(...)
#define CANARY_EITHER(...)
#define SUM_OP(op) op,
  static const char *const sums[] = {
#include "generated/all_canaries.def"
      NULL};
#undef SUM_OP
#undef CANARY_EITHER
#undef CANARY
  return g_strv_contains(sums, name);
}

static inline bool canary_concerns(const char *ops, const char *name) {
  for (const char *word = ops; *word != '\0';) {
    size_t size = strcspn(word, ",");
    bool is_beginning = size > 0 && strchr("._", word[size - 1]) != NULL;
    bool is_long_enough = is_beginning ? strlen(name) >= size : strlen(name) == size;
    bool is_sums = size == strlen(SUMS) && memcmp(word, SUMS, size) == 0;
    if (is_sums && canary_is_sum(name)) return true;
    if (is_long_enough && memcmp(word, name, size) == 0) return true;
    word += size + (word[size] == ',' ? 1 : 0);
  }
  return false;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* All canaries with their rows: which faults must be found, where, how soon and as what. */
#ifndef ASSAY_TESTS_CAMPAIGN_CANARIES_CANARY_LIST_H
#define ASSAY_TESTS_CAMPAIGN_CANARIES_CANARY_LIST_H

#include "harness/builtin/builtin.h"
#include "harness/session/session.h"
#include "tests/campaign/canaries/canary_ops.h"

enum { CANARY_OPS_MAX = 64 };

typedef struct canary {
  const char *name;
  const char *contract;
  const char *ops; /* Those it is held against: canary_ops.h. */
  uint64_t within; /* The first finding comes within so many cases. */
  /* Of most of its diverging cases: either one; of large ones, which are searched until one is
   * found, none. */
  divergence_class_t class_, other_class;
  stratum_t stratum; /* Whose programs show it. */
  bool is_large;     /* They are as large as those of a run; else small ones do. */
  bool is_nightly;   /* They take too long for CI. */
} canary_t;

static const canary_t canaries[] = {
#define ROW(name_, contract_, ops_, within_, of, or_of)                                 \
  .name = "canary:" name_, .contract = (contract_), .ops = (ops_), .within = (within_), \
  .class_ = CLASS_##of, .other_class = CLASS_##or_of
#define CANARY(name, contract_, ops_, within_, of) {ROW(name, contract_, ops_, within_, of, of)},
#define CANARY_EITHER(name, contract_, ops_, within_, of, or_of) \
  {ROW(name, contract_, ops_, within_, of, or_of)},
#define LARGE_CANARY(of_stratum, name, contract_, ops_, within_)                     \
  {ROW(name, contract_, ops_, within_, none, none), .stratum = STRATUM_##of_stratum, \
   .is_large = true},
#define NIGHT_CANARY(of_stratum, name, contract_, ops_, within_)                     \
  {ROW(name, contract_, ops_, within_, none, none), .stratum = STRATUM_##of_stratum, \
   .is_large = true, .is_nightly = true},
#define SUM_OP(name)
#include "generated/all_canaries.def"
#include "generated/all_more_canaries.def"
#include "tests/campaign/canaries/canaries.def"
#undef NIGHT_CANARY
#undef LARGE_CANARY
#undef SUM_OP
#undef CANARY_EITHER
#undef CANARY
#undef ROW
};

/* Opens a model or a canary. */
static inline executor_t *canary_open(const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

/* Those of canary_concerns(), and what is made of others by its name; returns their number.
 */
static inline size_t canary_find_ops(const char *ops, const op_t *out_ops[CANARY_OPS_MAX]) {
  size_t count = 0;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if (canary_concerns(ops, (*op)->name)) out_ops[count++] = *op;
  }
  for (const op_t *const *op = op_compound(); *op != NULL; op++) {
    if (strcmp(ops, (*op)->name) == 0) out_ops[count++] = *op;
  }
  return count;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* All canaries with their rows: which faults must be found, where, how soon and as what. */
#ifndef ASSAY_TESTS_CAMPAIGN_CANARY_LIST_H
#define ASSAY_TESTS_CAMPAIGN_CANARY_LIST_H

#include "harness/builtin/builtin.h"
#include "harness/session/session.h"
#include "tests/campaign/canary_ops.h"

enum { CANARY_OPS_MAX = 64 };

typedef struct canary {
  const char *name;
  const char *contract;
  const char *ops; /* Those it is held against: canary_ops.h. */
  uint64_t within; /* The first finding comes within so many cases. */
  /* Of most of its diverging cases: either one. */
  divergence_class_t class_, other_class;
} canary_t;

static const canary_t canaries[] = {
#define CANARY(name, contract, ops, within, class_) \
  {"canary:" name, contract, ops, within, CLASS_##class_, CLASS_##class_},
#define CANARY_EITHER(name, contract, ops, within, class_, other_class) \
  {"canary:" name, contract, ops, within, CLASS_##class_, CLASS_##other_class},
#define SUM_OP(name)
#include "generated/all_canaries.def"
#include "tests/campaign/canaries.def"
#undef SUM_OP
#undef CANARY_EITHER
#undef CANARY
};

/* Opens a model or a canary. */
static inline executor_t *canary_open(const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

/* Those of canary_concerns(); returns their number. */
static inline size_t canary_find_ops(const char *ops, const op_t *out_ops[CANARY_OPS_MAX]) {
  size_t count = 0;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if (canary_concerns(ops, (*op)->name)) out_ops[count++] = *op;
  }
  return count;
}

#endif

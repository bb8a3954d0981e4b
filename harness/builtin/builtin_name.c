/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the builtin executors. */
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/builtin/reading_name.h"
#include "harness/kinds/precision.h"
#include "harness/model/contract.h"
#include "harness/model/fault.h"
#include "oracles/oracle.h"

/* INIT_MAX: insertions of the initial value. */
enum { INIT_MAX = 1 << 16, FUNCTION_ULPS_MAX = 1 << 16 };

/* Whose rules it obeys, where a permission says that models hold to some (permissions.def). */
typedef struct rules_name {
  const char *permission;
  const char *value;
  const char *words;
  const char *value_with_words;
} rules_name_t;

#define BLAME(...)
#define BACKEND_IS_TIGHTER
#define WIDE(value)
#define PERMISSION(name, spellings, spec, backend, summary, ...) __VA_ARGS__
static const rules_name_t rules_names[] = {
#define MODELS_HOLD(permission, value, words, value_with_words, kind) \
  {#permission, value, words, value_with_words},
#include "harness/model/permissions.def"

#include "generated/all_permissions.def"
#undef MODELS_HOLD
};
_Static_assert(G_N_ELEMENTS(rules_names) <= 32, "schedule_t.rules has a bit for each");

static const char *const known_words =
    "an order of summation (sequential, reverse, pairwise, blockedW, lanesW with W a number, "
    "random, shuffled, or another that harness/order/sum_order.h lists), and after a '+' also fma, "
    "compensated (sums of floats in loops, Kahan), acc=FORMAT, seed=N, init=N, races; for dot "
    "algorithms algorithm=NAME, "
    "split=nearest|truncate|truncate-all|nearest-away|truncate-away, by-term, aligned=BITS; for "
    "products of f32 default_precision=WORD, high_precision=WORD, highest_precision=WORD; for "
    "composite ops formula=NAME, native, other-way, ulps=N, exp-by-exp2, readings (norm_...=WORD); "
    "for conversions saturating-casts; for quantized ops fixed-point=once|twice|twice-up, "
    "zero-point-last, ties-away"
#define MODELS_HOLD(permission, value, words, value_with_words, kind) "; for " kind " " words
#include "harness/model/permissions.def"

#include "generated/all_permissions.def"
#undef MODELS_HOLD
    ;
#undef PERMISSION
#undef WIDE
#undef BACKEND_IS_TIGHTER
#undef BLAME

static status_t parse_number(scan_t *scan, int64_t low, int64_t high, int64_t *out_number,
                             failure_t *error) {
  int64_t number;
  STATUS_TRY(scan_integer(scan, &number, error));
  if (number < low || number > high) {
    return scan_fail(scan, error,
                     "%" G_GINT64_FORMAT " is not within %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT,
                     number, low, high);
  }
  *out_number = number;
  return STATUS_OK;
}

static status_t parse_order(scan_t *scan, arena_t *arena, implementation_model_t *inout_schedule,
                            failure_t *error) {
  scan_t start = *scan;
  failure_t failure = {.text = ""};
  status_t status = sum_order_parse(scan, arena, &inout_schedule->order, &failure);
  if (status == STATUS_OK && sum_order_has(&inout_schedule->order, SUM_WAYS)) {
    return scan_fail(&start, error, "models have no nodes that add more than two items");
  }
  if (status == STATUS_OK && sum_order_has(&inout_schedule->order, SUM_FOLDED)) {
    return scan_fail(&start, error, "folded has no tree for all lengths; interleaved is the same");
  }
  if (status == STATUS_OK) return status;
  bool is_other_word = scan->cursor == start.cursor;
  if (is_other_word) return scan_fail_expecting(scan, error, known_words);
  return status_fail(error, status, "%s", failure.text);
}

static status_t parse_accumulator(scan_t *scan, implementation_model_t *inout_schedule,
                                  failure_t *error) {
  str_t name = scan_until(scan, "+");
  const format_t *format = format_find(name);
  if (format == NULL) {
    return scan_fail(scan, error,
                     "there is no float format \"%.*s\"; acc=f32 and acc=f64 are usual",
                     STR_FORMAT(name));
  }
  inout_schedule->accumulator = format;
  return STATUS_OK;
}

static const char *const split_names[] = {"nearest", "truncate", "truncate-all", "nearest-away",
                                          "truncate-away"};

static status_t parse_split(scan_t *scan, implementation_model_t *inout_schedule,
                            failure_t *error) {
  str_t name = scan_until(scan, "+");
  for (size_t i = 0; i < G_N_ELEMENTS(split_names); i++) {
    if (!str_equal_text(name, split_names[i])) continue;
    inout_schedule->split = (split_t)i;
    return STATUS_OK;
  }
  return scan_fail(scan, error,
                   "split is nearest, truncate, truncate-all, nearest-away or truncate-away");
}

static status_t parse_fixed_point(scan_t *scan, implementation_model_t *inout_schedule,
                                  failure_t *error) {
  static const char *const names[] = {"once", "twice", "twice-up"}; /* As fixed_way_t has them. */
  str_t name = scan_until(scan, "+");
  for (uint8_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (str_equal_text(name, names[i])) inout_schedule->fixed_point = (uint8_t)(i + 1);
  }
  if (inout_schedule->fixed_point != 0) return STATUS_OK;
  return scan_fail(scan, error, "fixed-point is once, twice or twice-up");
}

static bool is_known_algorithm(str_t name) {
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    const oracle_t *oracle = oracle_find(*op);
    if (oracle == NULL || oracle->knows_algorithm == NULL) continue;
    if (oracle->knows_algorithm(name)) return true;
  }
  return false;
}

/* Texts live as long as the program: there are few algorithms. */
static status_t parse_algorithm(scan_t *scan, implementation_model_t *inout_schedule,
                                failure_t *error) {
  scan_t start = *scan;
  str_t name = scan_until(scan, "+");
  if (!is_known_algorithm(name)) {
    return scan_fail(&start, error,
                     "no algorithm is called \"%.*s\"; one is BF16_BF16_F32_X3, another "
                     "ANY_F8_ANY_F8_F32<f8E5M2,f8E4M3FN>, and one by its members "
                     "[bf16,f16,f32,1,1,1,false]",
                     STR_FORMAT(name));
  }
  g_autofree char *text = g_strndup(name.data, name.size);
  inout_schedule->algorithm = g_intern_string(text);
  return STATUS_OK;
}

/* "default_precision=bf16", as a contract has it; true if it is one of these. */
static bool parse_precision(scan_t *scan, implementation_model_t *inout_schedule,
                            status_t *out_status, failure_t *error) {
  for (int word = 0; word < PRECISION_COUNT; word++) {
    const char *name = precision_permission((precision_t)word);
    const scan_t start = *scan;
    str_t key = scan_until(scan, "=+");
    if (!str_equal_text(key, name)) {
      *scan = start;
      continue;
    }
    *scan = start;
    str_t setting = scan_until(scan, "+");
    if (memchr(setting.data, ',', setting.size) != NULL) {
      *out_status = scan_fail(&start, error, "%s is one word; others come behind a '+'", name);
      return true;
    }
    g_autofree char *text = g_strndup(setting.data, setting.size);
    contract_t contract = contract_backend();
    *out_status = contract_parse(str_from(text), &contract, error);
    if (*out_status == STATUS_OK) {
      inout_schedule->precisions[word] = contract_value(&contract, name);
    }
    return true;
  }
  return false;
}

/* One word after a '+' that says how a dot algorithm is run; true if it is one. */
static bool parse_dot_option(scan_t *scan, implementation_model_t *inout_schedule,
                             status_t *out_status, failure_t *error) {
  int64_t number = 0;
  *out_status = STATUS_OK;
  if (parse_precision(scan, inout_schedule, out_status, error)) return true;
  if (scan_accept(scan, "by-term")) {
    inout_schedule->assembly = ASSEMBLY_BY_TERM;
  } else if (scan_accept(scan, "algorithm=")) {
    *out_status = parse_algorithm(scan, inout_schedule, error);
  } else if (scan_accept(scan, "split=")) {
    *out_status = parse_split(scan, inout_schedule, error);
  } else if (scan_accept(scan, "aligned=")) {
    *out_status = parse_number(scan, IMPRECISE_BITS_MIN, 24, &number, error);
    inout_schedule->aligned_bits = (uint32_t)number;
  } else {
    return false;
  }
  return true;
}

static bool has_formula(const op_t *const *ops, str_t name) {
  for (const op_t *const *op = ops; *op != NULL; op++) {
    if ((*op)->formulas == NULL) continue;
    for (uint8_t i = 0; i < contract_value_count((*op)->formulas); i++) {
      if (str_equal_text(name, contract_spelling((*op)->formulas, i))) return true;
    }
  }
  return false;
}

static bool is_known_formula(str_t name) {
  return has_formula(op_all(), name) || has_formula(op_compound(), name);
}

static status_t parse_formula(scan_t *scan, implementation_model_t *inout_schedule,
                              failure_t *error) {
  scan_t start = *scan;
  str_t name = scan_until(scan, "+");
  if (!is_known_formula(name)) {
    return scan_fail(&start, error,
                     "no op has a formula \"%.*s\"; `assay help` lists them with the permissions",
                     STR_FORMAT(name));
  }
  g_autofree char *text = g_strndup(name.data, name.size);
  inout_schedule->formula = g_intern_string(text);
  return STATUS_OK;
}

/* One word after a '+' that says how a composite op is computed; true if it is one. */
static bool parse_composite_option(scan_t *scan, implementation_model_t *inout_schedule,
                                   status_t *out_status, failure_t *error) {
  int64_t number = 0;
  *out_status = STATUS_OK;
  if (reading_name_parse(scan, inout_schedule, out_status, error)) return true;
  if (scan_accept(scan, "formula=")) {
    *out_status = parse_formula(scan, inout_schedule, error);
  } else if (scan_accept(scan, "native")) {
    inout_schedule->native = true;
  } else if (scan_accept(scan, "other-way")) {
    inout_schedule->other_way = true;
  } else if (scan_accept(scan, "ulps=")) {
    *out_status = parse_number(scan, 0, FUNCTION_ULPS_MAX, &number, error);
    inout_schedule->function_ulps = (uint32_t)number;
  } else if (scan_accept(scan, "fixed-point=")) {
    *out_status = parse_fixed_point(scan, inout_schedule, error);
  } else if (scan_accept(scan, "exp-by-exp2")) {
    inout_schedule->exp_by_exp2 = true;
  } else {
    return false;
  }
  return true;
}

/* One word after a '+' that is there or not; true if it is one. */
static bool parse_switch(scan_t *scan, implementation_model_t *inout_schedule) {
  const struct {
    const char *word;
    bool *is_on;
  } switches[] = {{"saturating-casts", &inout_schedule->saturates_casts},
                  {"zero-point-last", &inout_schedule->zero_point_last},
                  {"ties-away", &inout_schedule->ties_away},
                  {"races", &inout_schedule->races},
                  {"compensated", &inout_schedule->compensated},
                  {"fma", &inout_schedule->fused}};
  for (size_t i = 0; i < G_N_ELEMENTS(switches); i++) {
    if (!scan_accept(scan, switches[i].word)) continue;
    *switches[i].is_on = true;
    return true;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(rules_names); i++) {
    if (!scan_accept(scan, rules_names[i].words)) continue;
    inout_schedule->rules |= UINT32_C(1) << i;
    return true;
  }
  return false;
}

/* One word after a '+'. */
static status_t parse_option(scan_t *scan, arena_t *arena, implementation_model_t *inout_schedule,
                             failure_t *error) {
  int64_t number = 0;
  status_t status;
  if (parse_dot_option(scan, inout_schedule, &status, error)) return status;
  if (parse_composite_option(scan, inout_schedule, &status, error)) return status;
  if (parse_switch(scan, inout_schedule)) return STATUS_OK;
  if (scan_accept(scan, "acc=")) return parse_accumulator(scan, inout_schedule, error);
  if (scan_accept(scan, "seed=")) {
    STATUS_TRY(parse_number(scan, 0, INT64_MAX, &number, error));
    inout_schedule->seed = (uint64_t)number;
    return STATUS_OK;
  }
  if (scan_accept(scan, "init=")) {
    STATUS_TRY(parse_number(scan, 0, INIT_MAX, &number, error));
    inout_schedule->init_count = (uint32_t)number;
    return STATUS_OK;
  }
  return parse_order(scan, arena, inout_schedule, error);
}

static status_t parse_fault(scan_t *scan, implementation_model_t *inout_schedule,
                            failure_t *error) {
  str_t name = scan_until(scan, "+");
  inout_schedule->fault = fault_find(name);
  if (inout_schedule->fault != FAULT_NONE) return STATUS_OK;
  return status_fail(
      error, STATUS_INVALID,
      "there is no canary \"%.*s\"; one is canary:%s, and `assay executors` lists all",
      STR_FORMAT(name), fault_at(0)->name);
}

status_t builtin_parse(const char *name, arena_t *arena, implementation_model_t *out_schedule,
                       failure_t *error) {
  implementation_model_t schedule = schedule_plain();
  scan_t scan = scan_make(str_from(name));
  if (scan_accept(&scan, "model:")) {
    STATUS_TRY(parse_order(&scan, arena, &schedule, error));
  } else if (scan_accept(&scan, "canary:")) {
    STATUS_TRY(parse_fault(&scan, &schedule, error));
  } else {
    return scan_fail(&scan, error, "a builtin executor is called model:NAME or canary:NAME");
  }
  while (!scan_at_end(&scan)) {
    STATUS_TRY(scan_expect(&scan, "+", error));
    STATUS_TRY(parse_option(&scan, arena, &schedule, error));
  }
  sum_order_kind_t order = schedule.order.kind;
  bool is_loop = order == SUM_SEQUENTIAL || order == SUM_REVERSE || order == SUM_SHUFFLED;
  if (schedule.compensated && !is_loop) {
    return status_fail(error, STATUS_INVALID,
                       "%s: compensated sums are sequential, reverse or shuffled", name);
  }
  *out_schedule = schedule;
  return STATUS_OK;
}

contract_t builtin_rules(const implementation_model_t *schedule) {
  contract_t contract = contract_backend();
  for (size_t i = 0; i < G_N_ELEMENTS(rules_names); i++) {
    const rules_name_t *row = &rules_names[i];
    const char *value = (schedule->rules >> i & 1) != 0 ? row->value_with_words : row->value;
    contract_set_value(&contract, row->permission, contract_value_spelled(row->permission, value));
  }
  return contract;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How the naive evaluations are held against the oracle: data, trees, and the questions asked. */
#ifndef ASSAY_TESTS_OPS_NAIVE_CHECKS_H
#define ASSAY_TESTS_OPS_NAIVE_CHECKS_H

#include "harness/draw/draw_quantization.h"
#include "tests/ops/naive.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

/* ---- Trees ----------------------------------------------------------------------------------- */

/* A leaf or a node: one value for each of the op's inputs. */
typedef struct naive_node {
  naive_value_t values[2];
} naive_node_t;

typedef enum naive_shape { NAIVE_LEFT, NAIVE_RIGHT, NAIVE_RANDOM } naive_shape_t;

/* One way to evaluate an op. */
typedef struct naive_plan {
  const char *name;
  naive_shape_t shape;
  bool is_shuffled;    /* The leaves are in any order: not what the specification says. */
  bool scatters_inits; /* The initial value enters anywhere, up to three times; else in front. */
  bool saturates;      /* Integers saturate, instead of wrapping. */
  bool is_exact;       /* Sums of floats are rounded once, at the end. */
  bool is_fused;       /* Products are added unrounded; only where the shape is NAIVE_LEFT. */
} naive_plan_t;

typedef naive_node_t naive_combine_t(const program_t *program, bool saturates, naive_node_t a,
                                     naive_node_t b);

static inline naive_node_t naive_fold(rng_t *rng, const program_t *program,
                                      const naive_plan_t *plan, naive_combine_t *combine,
                                      const naive_node_t *leaves, size_t count) {
  if (count == 1) return leaves[0];
  size_t left = plan->shape == NAIVE_LEFT    ? count - 1
                : plan->shape == NAIVE_RIGHT ? 1
                                             : 1 + (size_t)rng_below(rng, count - 1);
  naive_node_t a = naive_fold(rng, program, plan, combine, leaves, left);
  naive_node_t b = naive_fold(rng, program, plan, combine, leaves + left, count - left);
  return combine(program, plan->saturates, a, b);
}

static inline void naive_insert(GArray *leaves, guint place, naive_node_t leaf) {
  g_array_insert_val(leaves, place, leaf);
}

/* Adds the initial value to the leaves, and shuffles them, as the plan says. */
static inline void naive_arrange(rng_t *rng, const naive_plan_t *plan, naive_node_t init,
                                 GArray *leaves) {
  size_t inits = plan->scatters_inits ? (size_t)rng_below(rng, 4) : 1;
  if (leaves->len == 0) inits = MAX(inits, 1);
  for (size_t i = 0; i < inits; i++) {
    guint place = plan->scatters_inits ? (guint)rng_below(rng, leaves->len + 1) : 0;
    naive_insert(leaves, place, init);
  }
  for (guint i = leaves->len; plan->is_shuffled && i > 1; i--) {
    naive_node_t *nodes = (naive_node_t *)(void *)leaves->data;
    guint j = (guint)rng_below(rng, i);
    naive_node_t moved = nodes[j];
    nodes[j] = nodes[i - 1];
    nodes[i - 1] = moved;
  }
}

/* ---- Data ------------------------------------------------------------------------------------ */

typedef enum naive_regime {
  NAIVE_SMALL_INTEGERS,
  NAIVE_NEAR_ONE,
  NAIVE_SPECIALS,
  NAIVE_ANY_BITS,
  NAIVE_REGIME_COUNT
} naive_regime_t;

static inline uint64_t naive_draw_float(rng_t *rng, const format_t *format, naive_regime_t regime) {
  const double specials[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-140, 0x1p100};
  switch (regime) {
    case NAIVE_SMALL_INTEGERS:
      return format_from_double(format, (double)rng_between(rng, -3, 3));
    case NAIVE_NEAR_ONE:
      return format_from_double(format, ldexp((double)rng_between(rng, -(1 << 20), 1 << 20), -19));
    case NAIVE_SPECIALS:
      if (rng_one_in(rng, 4)) return format->largest_bits - rng_below(rng, 2);
      return format_from_double(format, specials[rng_below(rng, G_N_ELEMENTS(specials))]);
    default:
      return rng_bits(rng) >> (64 - format->bits);
  }
}

static inline uint64_t naive_draw_bits(rng_t *rng, const element_t *element,
                                       naive_regime_t regime) {
  if (element->format != NULL) return naive_draw_float(rng, element->format, regime);
  uint64_t mask = element_mask(element);
  if (regime == NAIVE_SMALL_INTEGERS || regime == NAIVE_NEAR_ONE) {
    int64_t low = element->kind == ELEMENT_SIGNED ? -3 : 0;
    return (uint64_t)rng_between(rng, low, 3) & mask;
  }
  if (regime == NAIVE_SPECIALS && rng_one_in(rng, 2)) return (uint64_t)naive_largest(element);
  return rng_bits(rng) & mask;
}

static inline void naive_fill(rng_t *rng, naive_regime_t regime, case_t *instance) {
  const program_t *program = &instance->program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    tensor_t *tensor = &instance->operands[i];
    const element_t *element = tensor->type.element;
    bool is_init = program->op->is_init_operand != NULL && program->op->is_init_operand(program, i);
    bool is_neutral = is_init && !rng_one_in(rng, 3);
    for (size_t c = 0; c < type_component_count(&tensor->type); c++) {
      uint64_t bits = naive_draw_bits(rng, element, regime);
      if (is_neutral) bits = c == 0 ? program->op->neutral_bits(program, i) : 0;
      element_store(element, tensor->data, c, bits);
    }
    clamp_stored(tensor);
  }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Equal patterns, or two NaNs. */
static inline bool naive_same(const element_t *element, uint64_t a, uint64_t b) {
  if (a == b) return true;
  return element->format != NULL && format_is_nan(element->format, a) &&
         format_is_nan(element->format, b);
}

static inline bool naive_results_equal(const program_t *program, const tensor_t *a,
                                       const tensor_t *b) {
  for (uint32_t r = 0; r < program->result_count; r++) {
    const element_t *element = program->results[r].element;
    for (size_t i = 0; i < type_component_count(&program->results[r]); i++) {
      uint64_t left = element_load(element, a[r].data, i);
      uint64_t right = element_load(element, b[r].data, i);
      if (!naive_same(element, left, right)) return false;
    }
  }
  return true;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* How often what happened, over a run. */
typedef struct naive_tally {
  size_t cases;
  size_t skipped; /* The oracle does not know the program. */
  size_t held;    /* Components that the fast set held ... */
  size_t asked;   /* ... and that only the last word allowed. */
} naive_tally_t;

static inline void naive_fail(const case_t *instance, const char *plan, const char *contract,
                              uint32_t result, size_t component, uint64_t bits,
                              const char *expected) {
  GString *line = g_string_new(NULL);
  case_print(instance, line);
  g_error("%s\n%s under contract %s: result %u component %zu is 0x%" G_GINT64_MODIFIER
          "x, the oracle expects %s",
          line->str, plan, contract, result, component, bits, expected);
}

/* Everything conforms; what the fast set holds is asked about only now and then. */
static inline void naive_check_accepted(rng_t *rng, const question_t *question,
                                        const char *contract, const char *plan,
                                        const tensor_t *results, naive_tally_t *tally) {
  const program_t *program = &question->instance->program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    const element_t *element = program->results[r].element;
    for (size_t i = 0; i < type_component_count(&program->results[r]); i++) {
      uint64_t bits = element_load(element, results[r].data, i);
      bool is_held = accept_holds(&question->accepts[r], element, i, bits);
      if (is_held) tally->held++;
      if (is_held && !rng_one_in(rng, 8)) continue;
      if (!is_held) tally->asked++;
      answer_t answer = question_decide(question, r, i, results);
      if (!answer.conforms) {
        naive_fail(question->instance, plan, contract, r, i, bits, answer.expected);
      }
    }
  }
}

static inline void naive_make_results(const program_t *program, arena_t *arena,
                                      tensor_t results[CASE_RESULTS_MAX]) {
  for (uint32_t r = 0; r < program->result_count; r++) {
    results[r] = tensor_make(arena, &program->results[r]);
    memset(results[r].data, 0, type_bytes(&program->results[r]));
  }
}

/* Evaluates a case by a plan into results made by naive_make_results(). */
typedef void naive_evaluate_t(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                              tensor_t *results);

/* The oracle's sequential model gives the bits of the plain plan. */
static inline void naive_check_simulation(const case_t *instance, const tensor_t *expected,
                                          arena_t *arena) {
  const program_t *program = &instance->program;
  implementation_model_t plain = schedule_plain();
  tensor_t results[CASE_RESULTS_MAX];
  failure_t error;
  naive_make_results(program, arena, results);
  const oracle_call_t call = {.instance = instance, .arena = arena, .error = &error};
  status_t status = oracle_find(program->op)->simulate(&call, &plain, results);
  if (status != STATUS_OK) g_error("simulate: %s", error.text);
  if (naive_results_equal(program, expected, results)) return;
  GString *line = g_string_new(NULL);
  case_print(instance, line);
  for (uint32_t r = 0; r < program->result_count; r++) {
    g_string_append(line, "\nnaive     ");
    tensor_print_data(&expected[r], line);
    g_string_append(line, "\nsequential ");
    tensor_print_data(&results[r], line);
  }
  g_error("the models disagree: %s", line->str);
}

/* Whether a plan may be tried: some are only what the backend contract allows. */
static inline bool naive_plan_conforms(const naive_plan_t *plan, const contract_t *contract) {
  if (plan->is_shuffled && PERMITTED(contract, order) != ORDER_ANY) return false;
  if (plan->is_exact && PERMITTED(contract, accum_wider) != ACCUM_WIDER_YES) return false;
  return !plan->is_fused || PERMITTED(contract, fma) == FMA_YES;
}

/* Draws `count` cases of `op`, evaluates each by all plans (the first is the plain one), and asks
 * the oracle under both ready-made contracts. */
static inline naive_tally_t naive_check_op(const op_t *op, const draw_limits_t *limits,
                                           size_t count, naive_evaluate_t *evaluate,
                                           const naive_plan_t *plans, size_t plan_count) {
  const contract_t contracts[] = {contract_spec(), contract_backend()};
  static const char *const names[] = {"spec", "backend"};
  naive_tally_t tally = {0};
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x9a14e);
  rng_t sampling = rng_make(0x5a3); /* So that the cases do not depend on the oracle. */
  for (size_t c = 0; c < count; c++) {
    arena_reset(&arena);
    program_t program;
    op->draw(&rng, limits, &arena, &program);
    case_t instance = case_make(&arena, &program);
    naive_fill(&rng, (naive_regime_t)(c % NAIVE_REGIME_COUNT), &instance);
    tally.cases++;
    for (size_t k = 0; k < G_N_ELEMENTS(contracts); k++) {
      question_t question;
      status_t status = question_make(&instance, &contracts[k], &arena, &question);
      if (status == STATUS_UNSUPPORTED) {
        tally.skipped += k == 0;
        break;
      }
      for (size_t p = 0; p < plan_count; p++) {
        if (!naive_plan_conforms(&plans[p], &contracts[k])) continue;
        tensor_t results[CASE_RESULTS_MAX];
        naive_make_results(&program, &arena, results);
        evaluate(&rng, &instance, &plans[p], results);
        naive_check_accepted(&sampling, &question, names[k], plans[p].name, results, &tally);
        if (p == 0) naive_check_simulation(&instance, results, &arena);
      }
    }
  }
  arena_deinit(&arena);
  g_test_message("%zu cases, %zu without an oracle; components: %zu in the fast set, %zu asked",
                 tally.cases, tally.skipped, tally.held, tally.asked);
  return tally;
}

#endif

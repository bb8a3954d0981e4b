/* SPDX-License-Identifier: Apache-2.0 */
/* What is special is decided (oracles/theory.md, T100 to T103): into elements of drawn cases of
 * every op that have a finite exact value, NaN, both infinities, zero and the value doubled are
 * written one at a time.  Where such a number conforms, and is not what the exact value rounds to,
 * a concrete schedule has to return it, of those that the contract permits; what none of many
 * schedules returns is counted, and may not be more than the rows of
 * oracles/ops/F/checks/unattained_specials.def say, with their reasons.
 *
 * ASSAY_SPECIALS_PROGRAMS and ASSAY_SPECIALS_SEED say how many programs an op are drawn, and from
 * which seed: tests/nightly/specials draws many more than CI does. */
#include <glib.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/gen/gen.h"
#include "oracles/oracle.h"

#ifdef ASSAY_SANITIZE
enum { PROGRAMS = 4, HOLDS_SHARES = 0 }; /* A share in four programs says nothing. */
#else
enum { PROGRAMS = 24, HOLDS_SHARES = 1 };
#endif
enum {
  CASES_A_PROGRAM = 4,
  ELEMENTS_A_CASE = 4,
  SEEDS = 4, /* Of schedules that are drawn. */
  FUNCTION_ULPS_MAX = 4,
  SHOWN_MAX = 3, /* Of each kind. */
};

typedef enum kind {
  KIND_nan,
  KIND_inf,
  KIND_minus_inf,
  KIND_zero,
  KIND_doubled,
  KIND_COUNT
} kind_t;

static const char *const kind_names[KIND_COUNT] = {"nan", "inf", "-inf", "zero", "doubled"};

/* What no schedule was found for, in so many of 10,000 elements of an op at the most: about twice
 * what was counted, as elements of one program go together. */
typedef struct unattained {
  const char *op;
  kind_t kind;
  double share;
  const char *reason;
} unattained_t;

#define UNATTAINED(op, kind, share, reason) {op, KIND_##kind, share, reason},
static const unattained_t unattained[] = {
#include "generated/all_unattained_specials.def"
    {NULL, KIND_COUNT, 0, NULL}};
#undef UNATTAINED

typedef struct counts {
  size_t elements;
  size_t accepted[KIND_COUNT];
  size_t unattained[KIND_COUNT];
} counts_t;

/* A component that is asked about: the other components stay as `results` have them. */
typedef struct place {
  const case_t *instance;
  const oracle_t *oracle;
  const contract_t *contract;
  uint32_t result;
  size_t component;
  tensor_t *results;
  arena_t *arena;
} place_t;

static const element_t *element_of(const place_t *place) {
  return place->results[place->result].type.element;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static bool is_accepted(const place_t *place, uint64_t bits) {
  uint8_t *data = place->results[place->result].data;
  uint64_t kept = element_load(element_of(place), data, place->component);
  element_store(element_of(place), data, place->component, bits);
  answer_t answer = {0};
  failure_t error = {.text = ""};
  arena_mark_t mark = arena_mark(place->arena);
  const oracle_call_t call = {.instance = place->instance,
                              .contract = place->contract,
                              .results = place->results,
                              .arena = place->arena,
                              .error = &error};
  status_t status = place->oracle->decide(&call, place->result, place->component, &answer);
  arena_rewind(place->arena, mark);
  element_store(element_of(place), data, place->component, kept);
  if (status == STATUS_UNDECIDED || status == STATUS_UNSUPPORTED) return false;
  if (status != STATUS_OK) g_error("decide: %s", error.text);
  return answer.conforms && !answer.is_vacuous;
}

/* ---- Schedules ------------------------------------------------------------------------------- */

/* Whether a schedule, run on the case, returns these bits there. */
static bool returns(const place_t *place, const implementation_model_t *schedule, uint64_t bits) {
  arena_mark_t mark = arena_mark(place->arena);
  tensor_t results[CASE_RESULTS_MAX];
  const program_t *program = &place->instance->program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(place->arena, &program->results[i]);
    memset(results[i].data, 0, type_bytes(&results[i].type));
  }
  failure_t error = {.text = ""};
  const oracle_call_t call = {.instance = place->instance, .arena = place->arena, .error = &error};
  bool is_run = place->oracle->simulate(&call, schedule, results) == STATUS_OK;
  uint64_t got = element_load(element_of(place), results[place->result].data, place->component);
  const format_t *format = element_of(place)->format;
  bool is_nan =
      is_run && format != NULL && format_is_nan(format, bits) && format_is_nan(format, got);
  arena_rewind(place->arena, mark);
  return is_run && (got == bits || is_nan);
}

static const char *const orders[] = {"sequential", "pairwise", "random", "reverse", "shuffled"};
enum { PAIRWISE = 1, RANDOM = 2, IN_ORDER_COUNT = 3 };

typedef enum option {
  OPTION_FUSED = 1,
  OPTION_NATIVE = 2,
  OPTION_OTHER_WAY = 4,
  OPTION_F64 = 8,
  OPTION_F32 = 16,
  OPTION_COMPENSATED = 32, /* Of loops. */
  OPTION_COUNT = 64,
} option_t;

static bool permits(const contract_t *contract, int options, const char *formulas,
                    uint8_t formula) {
  if ((options & OPTION_FUSED) != 0 && PERMITTED(contract, fma) == FMA_NO) return false;
  if ((options & OPTION_F64) != 0 && (options & OPTION_F32) != 0) return false;
  bool may_compensate = contract_value(contract, "compensated") != 0;
  if ((options & OPTION_COMPENSATED) != 0 && !may_compensate) return false;
  bool is_wider = (options & (OPTION_F64 | OPTION_F32)) != 0;
  if (is_wider && PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO) return false;
  return formulas == NULL || formula <= contract_value(contract, formulas);
}

/* With each seed, where one matters. */
static bool any_seed_returns(const place_t *place, implementation_model_t schedule, uint64_t bits) {
  bool is_drawn = schedule.order.kind == SUM_RANDOM || schedule.order.kind == SUM_SHUFFLED;
  uint64_t seeds = is_drawn || schedule.function_ulps > 0 ? SEEDS : 1;
  for (schedule.seed = 0; schedule.seed < seeds; schedule.seed++) {
    if (returns(place, &schedule, bits)) return true;
  }
  return false;
}

/* Functions that err, of formulas; and initial values that enter more or less than once. */
static bool any_variant_returns(const place_t *place, implementation_model_t schedule,
                                uint64_t bits) {
  static const uint32_t counts[] = {1, 0, 2, 3, 4};
  bool is_formula =
      place->instance->program.op->formulas != NULL || place->oracle->composite != NULL;
  for (uint32_t ulps = 0; ulps <= (is_formula ? FUNCTION_ULPS_MAX : 0); ulps += 2) {
    schedule.function_ulps = ulps;
    if (any_seed_returns(place, schedule, bits)) return true;
  }
  bool may_repeat = !is_formula && PERMITTED(place->contract, init_count) != INIT_COUNT_ONE;
  for (size_t i = 1; may_repeat && i < G_N_ELEMENTS(counts); i++) {
    schedule.init_count = counts[i];
    if (any_seed_returns(place, schedule, bits)) return true;
  }
  return false;
}

static bool has_schedule(const place_t *place, uint64_t bits) {
  const char *formulas = place->instance->program.op->formulas;
  uint8_t formula_count = formulas == NULL ? 1 : contract_value_count(formulas);
  bool any_order = PERMITTED(place->contract, order) == ORDER_ANY;
  size_t order_count = any_order ? G_N_ELEMENTS(orders) : IN_ORDER_COUNT;
  for (size_t i = 0; i < order_count; i++) {
    implementation_model_t schedule;
    failure_t error = {.text = ""};
    g_autofree char *name = g_strdup_printf("model:%s", orders[i]);
    if (builtin_parse(name, place->arena, &schedule, &error) != STATUS_OK) g_error("%s", name);
    for (int options = 0; options < OPTION_COUNT; options++) {
      for (uint8_t formula = 0; formula < formula_count; formula++) {
        if (!permits(place->contract, options, formulas, formula)) continue;
        bool is_loop = i != PAIRWISE && i != RANDOM;
        if ((options & OPTION_COMPENSATED) != 0 && !is_loop) continue;
        schedule.fused = (options & OPTION_FUSED) != 0;
        schedule.native = (options & OPTION_NATIVE) != 0;
        schedule.compensated = (options & OPTION_COMPENSATED) != 0;
        schedule.other_way = (options & OPTION_OTHER_WAY) != 0;
        schedule.accumulator = (options & OPTION_F64) != 0   ? &format_table[FORMAT_f64]
                               : (options & OPTION_F32) != 0 ? &format_table[FORMAT_f32]
                                                             : NULL;
        schedule.formula = formulas == NULL ? NULL : contract_spelling(formulas, formula);
        if (any_variant_returns(place, schedule, bits)) return true;
      }
    }
  }
  return false;
}

/* ---- Elements -------------------------------------------------------------------------------- */

static double value_of(kind_t kind, double exact) {
  const double values[KIND_COUNT] = {NAN, INFINITY, -INFINITY, 0, 2 * exact};
  return values[kind];
}

static void describe(const place_t *place, kind_t kind, double exact) {
  g_autoptr(GString) text = g_string_new(NULL);
  case_print(place->instance, text);
  g_string_append_printf(text, "\n  result %u, component %zu is %a: %s accepted under ",
                         place->result, place->component, exact, kind_names[kind]);
  contract_print_short(place->contract, text);
  g_test_message("%s", text->str);
}

static void check_element(const place_t *place, double exact, counts_t *counts) {
  const format_t *format = element_of(place)->format;
  uint64_t right = format_from_double(format, exact);
  counts->elements++;
  for (kind_t kind = 0; kind < KIND_COUNT; kind++) {
    uint64_t bits = format_from_double(format, value_of(kind, exact));
    /* Formats without infinities have NaN or the largest number in their place. */
    bool is_other = (kind == KIND_nan) != (format_is_nan(format, bits) != 0);
    bool is_largest = kind != KIND_nan && bits == format->largest_bits;
    if (is_other || is_largest || bits == right || exact == 0 || !is_accepted(place, bits))
      continue;
    counts->accepted[kind]++;
    if (has_schedule(place, bits)) continue;
    if (counts->unattained[kind]++ < SHOWN_MAX) describe(place, kind, exact);
  }
}

static void check_case(rng_t *rng, const case_t *instance, const contract_t *contract,
                       arena_t *arena, counts_t *counts) {
  const program_t *program = &instance->program;
  const oracle_t *oracle = oracle_find(program->op);
  accept_t accepts[CASE_RESULTS_MAX];
  failure_t error = {.text = ""};
  const oracle_call_t call = {
      .instance = instance, .contract = contract, .arena = arena, .error = &error};
  if (program_broken_under(program, NULL, contract) != NULL) return;
  if (oracle->accept(&call, accepts) != STATUS_OK) return;
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(arena, &program->results[i]);
    memset(results[i].data, 0, type_bytes(&results[i].type));
  }
  const implementation_model_t plain = schedule_plain();
  if (oracle->simulate(&call, &plain, results) != STATUS_OK) return;
  for (uint32_t r = 0; r < program->result_count; r++) {
    size_t count = type_component_count(&program->results[r]);
    bool is_known = accepts[r].reference != NULL && program->results[r].element->format != NULL;
    for (size_t i = 0; is_known && i < MIN(count, (size_t)ELEMENTS_A_CASE); i++) {
      size_t component = count <= ELEMENTS_A_CASE ? i : rng_below(rng, count);
      double exact = accepts[r].reference[component];
      if (!isfinite(exact)) continue;
      place_t place = {instance, oracle, contract, r, component, results, arena};
      check_element(&place, exact, counts);
    }
  }
}

/* ---- Ops ------------------------------------------------------------------------------------- */

static uint64_t environment_number(const char *name, uint64_t otherwise) {
  const char *text = g_getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static double permitted_share(const op_t *op, kind_t kind) {
  double share = 0;
  for (const unattained_t *row = unattained; row->op != NULL; row++) {
    if (strcmp(row->op, op->name) == 0 && row->kind == kind) share += row->share;
  }
  return share;
}

static void check_counts(const op_t *op, const counts_t *counts) {
  for (kind_t kind = 0; kind < KIND_COUNT; kind++) {
    if (counts->accepted[kind] == 0) continue;
    double share = 1e4 * (double)counts->unattained[kind] / (double)counts->elements;
    g_test_message("%s: %s in %zu elements: accepted %zu, by no schedule %zu (%.1f of 10,000)",
                   op->name, kind_names[kind], counts->elements, counts->accepted[kind],
                   counts->unattained[kind], share);
    if (HOLDS_SHARES) g_assert_cmpfloat(share, <=, permitted_share(op, kind));
  }
}

/* Every other program is small: there what is special is most often near. */
static void test_op(gconstpointer data) {
  const op_t *op = data;
  rng_t rng = rng_make(environment_number("ASSAY_SPECIALS_SEED", 20261123));
  arena_t arena;
  arena_init(&arena);
  counts_t counts = {0};
  const contract_t contracts[] = {contract_spec(), contract_backend()};
  size_t programs = environment_number("ASSAY_SPECIALS_PROGRAMS", PROGRAMS);
  for (size_t i = 0; i < programs; i++) {
    arena_reset(&arena);
    gen_options_t options = gen_options_default();
    options.invalid_one_in = 0;
    options.limits.elements_max = i % 2 == 0 ? 8 : 128;
    options.limits.terms_max = i % 2 == 0 ? 3 : 24;
    program_t program;
    const char *broken;
    gen_program(&rng, op, &options, &arena, &program, &broken);
    for (size_t k = 0; k < CASES_A_PROGRAM; k++) {
      case_t instance = case_make(&arena, &program);
      gen_data(&rng, &instance);
      check_case(&rng, &instance, &contracts[k % G_N_ELEMENTS(contracts)], &arena, &counts);
    }
  }
  arena_deinit(&arena);
  check_counts(op, &counts);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    g_autofree char *path = g_strdup_printf("/specials/%s", (*op)->name);
    g_test_add_data_func(path, *op, test_op);
  }
  return g_test_run();
}

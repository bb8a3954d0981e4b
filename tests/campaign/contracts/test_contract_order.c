/* SPDX-License-Identifier: Apache-2.0 */
/* Contracts are ordered (oracles/theory.md, T90): whatever "spec" or "wide" accepts, the default
 * contract accepts, and raising one permission never rejects what was accepted.  Both are held over
 * every op, on drawn cases of all regimes: each component is asked about under both contracts with
 * the patterns of conforming models, the ends of the fast sets, the ends of what the exact side
 * accepts (found by asking), and special values.
 *
 * ASSAY_ORDER_PROGRAMS and ASSAY_ORDER_SEED say how many programs an op are drawn, and from which
 * seed: tests/nightly/contracts draws many more than CI does. */
#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>

#include "harness/builtin/builtin.h"
#include "harness/gen/gen.h"
#include "oracles/oracle.h"

#ifdef ASSAY_SANITIZE
enum { PROGRAMS = 4 };
#else
enum { PROGRAMS = 16 };
#endif
enum {
  CASES_A_PROGRAM = 2,
  COMPONENTS_A_CASE = 2,
  MODELS_A_CASE = 3,
  CANDIDATES_MAX = 96,
  SHOWN_MAX = 8, /* Violations that are described. */
};

/* A contract, one that is at least as loose, and the permission that was raised, NULL if several.
 */
typedef struct rise {
  contract_t tight;
  contract_t loose;
  const char *raised;
} rise_t;

typedef struct counts {
  size_t asked;    /* Patterns asked about under the tighter contract ... */
  size_t accepted; /* ... of which so many conform, ... */
  size_t rejected; /* ... and of those under the looser contract not; */
  size_t gained;   /* of the others so many conform under the looser one. */
} counts_t;

/* ---- Contracts ------------------------------------------------------------------------------- */

static rise_t wide_and_backend(void) { return (rise_t){contract_wide(), contract_backend(), NULL}; }

/* Where "backend" is not meant to permit what "spec" does, the two are compared with its value. */
static rise_t spec_and_backend(void) {
  rise_t rise = {contract_spec(), contract_backend(), NULL};
  for (size_t i = 0; i < contract_permission_count(); i++) {
    const char *name = contract_permission_name(i);
    if (!contract_is_exception(name)) continue;
    contract_set_value(&rise.tight, name, contract_value(&rise.loose, name));
  }
  return rise;
}

/* The values of the two contracts are in order, permission by permission, and the help names all
 * that are not. */
static void test_named_contracts(void) {
  const contract_t spec = contract_spec(), backend = contract_backend(), wide = contract_wide();
  g_autoptr(GString) help = g_string_new(NULL);
  contract_print_exceptions(help);
  for (size_t i = 0; i < contract_permission_count(); i++) {
    const char *name = contract_permission_name(i);
    bool is_within =
        contract_value_permits(name, contract_value(&backend, name), contract_value(&spec, name));
    g_autofree char *line = g_strdup_printf("  %s: ", name);
    if (is_within == contract_is_exception(name)) g_test_message("%s", name);
    g_assert_true(is_within != contract_is_exception(name));
    g_assert_true((strstr(help->str, line) != NULL) == contract_is_exception(name));
    g_assert_true(
        contract_value_permits(name, contract_value(&backend, name), contract_value(&wide, name)));
  }
}

static bool may_rise(const char *name) {
  uint8_t count = contract_value_count(name);
  for (uint8_t a = 0; a < count; a++) {
    for (uint8_t b = 0; b < count; b++) {
      if (a != b && contract_value_permits(name, a, b)) return true;
    }
  }
  return false;
}

static void draw_value(rng_t *rng, const char *name, const contract_t *spec,
                       const contract_t *backend, contract_t *inout_contract) {
  if (!may_rise(name)) return; /* Rules that say which programs are valid. */
  uint64_t way = rng_below(rng, 4);
  uint8_t drawn = (uint8_t)rng_below(rng, contract_value_count(name));
  const contract_t *named = way <= 1 ? spec : backend;
  contract_set_value(inout_contract, name, way == 3 ? drawn : contract_value(named, name));
}

/* Permissions that many ops depend on, and those of the op. */
static const char *draw_permission(rng_t *rng, const op_t *op) {
  static const char *const common[] = {
      "order",      "accum_wider",      "fma",       "ftz",          "accum_rounding",
      "init_count", "integer_overflow", "zero_sign", "intermediate", "accumulation",
      "epsilon"};
  const char *own[16];
  size_t count = 0;
  if (op->formulas != NULL) own[count++] = op->formulas;
  for (const char *const *name = op->policies; name != NULL && *name != NULL; name++) {
    own[count++] = *name;
  }
  for (;;) {
    uint64_t way = rng_below(rng, 4);
    const char *name = contract_permission_name(rng_below(rng, contract_permission_count()));
    if (way <= 1) name = common[rng_below(rng, G_N_ELEMENTS(common))];
    if (way == 2 && count > 0) name = own[rng_below(rng, count)];
    if (may_rise(name)) return name;
  }
}

/* Any contract, and the same with one permission raised. */
static rise_t draw_rise(rng_t *rng, const op_t *op) {
  const contract_t spec = contract_spec(), backend = contract_backend();
  rise_t rise = {.tight = backend};
  for (size_t i = 0; i < contract_permission_count(); i++) {
    draw_value(rng, contract_permission_name(i), &spec, &backend, &rise.tight);
  }
  rise.raised = draw_permission(rng, op);
  rise.loose = rise.tight;
  uint8_t count = contract_value_count(rise.raised), from, to;
  do {
    from = (uint8_t)rng_below(rng, count);
    to = (uint8_t)rng_below(rng, count);
  } while (from == to || !contract_value_permits(rise.raised, to, from));
  contract_set_value(&rise.tight, rise.raised, from);
  contract_set_value(&rise.loose, rise.raised, to);
  return rise;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* A component that is asked about: the other components stay as `results` have them. */
typedef struct place {
  const case_t *instance;
  const oracle_t *oracle;
  uint32_t result;
  size_t component;
  tensor_t *results;
  arena_t *arena;
} place_t;

static bool is_accepted(const place_t *place, const contract_t *contract, uint64_t bits) {
  const element_t *element = place->results[place->result].type.element;
  uint8_t *data = place->results[place->result].data;
  uint64_t kept = element_load(element, data, place->component);
  element_store(element, data, place->component, bits);
  answer_t answer = {0};
  failure_t error = {.text = ""};
  arena_mark_t mark = arena_mark(place->arena);
  const oracle_call_t call = {.instance = place->instance,
                              .contract = contract,
                              .results = place->results,
                              .arena = place->arena,
                              .error = &error};
  status_t status = place->oracle->decide(&call, place->result, place->component, &answer);
  arena_rewind(place->arena, mark);
  element_store(element, data, place->component, kept);
  if (status == STATUS_UNDECIDED) return false;
  if (status != STATUS_OK) g_error("ask: %s", error.text);
  return answer.conforms;
}

static void describe(const place_t *place, const rise_t *rise, uint64_t bits) {
  g_autoptr(GString) text = g_string_new(NULL);
  case_print(place->instance, text);
  g_string_append_printf(text, "\n  result %u, component %zu, %" PRIx64 ": accepted under ",
                         place->result, place->component, bits);
  contract_print_short(&rise->tight, text);
  const char *raised = rise->raised == NULL ? "order" : rise->raised;
  g_string_append_printf(text, "\n  but not with %s=%s%s", raised,
                         contract_spelling(raised, contract_value(&rise->loose, raised)),
                         rise->raised == NULL ? ", ..., under backend" : "");
  g_test_message("%s", text->str);
}

/* Whether all components conform.  Of two that must fit together, such as a value and its index, a
 * contract may accept one by itself and put the blame on the other. */
static bool are_accepted(const place_t *place, const contract_t *contract, uint64_t bits) {
  const element_t *element = place->results[place->result].type.element;
  uint8_t *data = place->results[place->result].data;
  uint64_t kept = element_load(element, data, place->component);
  element_store(element, data, place->component, bits);
  bool are_all = true;
  for (uint32_t r = 0; r < place->instance->program.result_count && are_all; r++) {
    place_t other = *place;
    other.result = r;
    const tensor_t *tensor = &place->results[r];
    size_t count = type_component_count(&tensor->type);
    for (other.component = 0; other.component < count && are_all; other.component++) {
      uint64_t own = element_load(tensor->type.element, tensor->data, other.component);
      are_all = is_accepted(&other, contract, own);
    }
  }
  element_store(element, data, place->component, kept);
  return are_all;
}

static void check(const place_t *place, const rise_t *rise, uint64_t bits, counts_t *counts) {
  bool is_tight = is_accepted(place, &rise->tight, bits);
  bool is_loose = is_accepted(place, &rise->loose, bits);
  counts->asked++;
  counts->accepted += is_tight;
  counts->gained += is_loose && !is_tight;
  if (is_loose || !is_tight) return;
  bool is_pair = place->instance->program.result_count > 1;
  if (is_pair && !are_accepted(place, &rise->tight, bits)) return;
  if (counts->rejected++ < SHOWN_MAX) describe(place, rise, bits);
}

/* ---- Patterns to ask about ------------------------------------------------------------------- */

typedef struct candidates {
  size_t count;
  uint64_t bits[CANDIDATES_MAX];
} candidates_t;

static void add(candidates_t *candidates, uint64_t bits) {
  for (size_t i = 0; i < candidates->count; i++) {
    if (candidates->bits[i] == bits) return;
  }
  if (candidates->count < CANDIDATES_MAX) candidates->bits[candidates->count++] = bits;
}

static void add_neighbourhood(candidates_t *candidates, const element_t *element, uint64_t bits) {
  add(candidates, bits);
  if (element->format != NULL) {
    add(candidates, format_next_up(element->format, bits));
    add(candidates, format_next_down(element->format, bits));
  } else {
    add(candidates, (bits + 1) & element_mask(element));
    add(candidates, (bits - 1) & element_mask(element));
  }
}

static void add_number(candidates_t *candidates, const element_t *element, double value) {
  if (isnan(value)) return;
  add_neighbourhood(candidates, element, format_from_double(element->format, value));
}

static void add_special_values(candidates_t *candidates, const element_t *element) {
  const format_t *format = element->format;
  if (format == NULL) {
    add(candidates, 0);
    add(candidates, element_mask(element));
    add(candidates, element_mask(element) >> 1);
    add(candidates, (element_mask(element) >> 1) + 1);
    return;
  }
  const double values[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
  for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
    add(candidates, format_from_double(format, values[i]));
  }
  add(candidates, format->largest_bits);
  add(candidates, 1);
  add(candidates, UINT64_C(1) << (format->precision - 1)); /* The smallest normal number. */
}

static void add_fast_ends(candidates_t *candidates, const place_t *place,
                          const contract_t *contract) {
  accept_t accepts[CASE_RESULTS_MAX];
  arena_mark_t mark = arena_mark(place->arena);
  const oracle_call_t call = {
      .instance = place->instance, .contract = contract, .arena = place->arena};
  status_t status = place->oracle->accept(&call, accepts);
  if (status == STATUS_OK) {
    const accept_t *accept = &accepts[place->result];
    const element_t *element = place->results[place->result].type.element;
    size_t i = place->component;
    if (accept->bits != NULL) add_neighbourhood(candidates, element, accept->bits[i]);
    const double *const numbers[] = {accept->low, accept->high, accept->other_low,
                                     accept->other_high, accept->reference};
    for (size_t k = 0; k < G_N_ELEMENTS(numbers); k++) {
      bool is_float = numbers[k] != NULL && element->format != NULL;
      if (is_float) add_number(candidates, element, numbers[k][i]);
    }
  }
  arena_rewind(place->arena, mark);
}

/* The pattern `steps` above or below, in the order of the numbers. */
static uint64_t step(const element_t *element, uint64_t bits, int64_t steps) {
  uint64_t mask = element_mask(element), sign = (mask >> 1) + 1;
  if (element->format == NULL) return (bits + (uint64_t)steps) & mask;
  int64_t place = (int64_t)(bits & (mask >> 1));
  if ((bits & sign) != 0) place = -place;
  place += steps;
  place = CLAMP(place, -(int64_t)(mask >> 1), (int64_t)(mask >> 1));
  return place < 0 ? (uint64_t)-place | sign : (uint64_t)place;
}

/* The last pattern that is accepted on the way up, or down, from one that is: steps double while
 * they are accepted, and the last one is halved. */
static uint64_t find_end(const place_t *place, const contract_t *contract, uint64_t from,
                         int direction) {
  const element_t *element = place->results[place->result].type.element;
  int64_t reached = 0, tried = 1;
  int64_t most = (int64_t)MIN(element_mask(element), UINT64_C(1) << 40);
  while (tried < most && is_accepted(place, contract, step(element, from, direction * tried))) {
    reached = tried;
    tried *= 2;
  }
  while (tried - reached > 1) {
    int64_t middle = reached + (tried - reached) / 2;
    if (is_accepted(place, contract, step(element, from, direction * middle))) {
      reached = middle;
    } else {
      tried = middle;
    }
  }
  return step(element, from, direction * reached);
}

static void add_exact_ends(candidates_t *candidates, const place_t *place,
                           const contract_t *contract, uint64_t from) {
  const element_t *element = place->results[place->result].type.element;
  if (!is_accepted(place, contract, from)) return;
  if (element->format != NULL && format_is_nan(element->format, from)) return;
  for (int direction = -1; direction <= 1; direction += 2) {
    add_neighbourhood(candidates, element, find_end(place, contract, from, direction));
  }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* Models that conform under one contract or another. */
static const char *const models[] = {
    "model:sequential",
    "model:pairwise",
    "model:random",
    "model:random+fma",
    "model:reverse",
    "model:sequential+native",
    "model:pairwise+native",
    "model:random+native",
    "model:sequential+other-way",
    "model:sequential+native+other-way",
    "model:shuffled+acc=f32",
    "model:sequential+init=2",
    "model:lanes4+acc=f64",
    "model:sequential+split=truncate",
    "model:random+ulps=1",
    "model:sequential+split=nearest-away",
};

static status_t run_model(const case_t *instance, const char *name, arena_t *arena,
                          tensor_t out_results[CASE_RESULTS_MAX]) {
  implementation_model_t schedule;
  failure_t error = {.text = ""};
  if (builtin_parse(name, arena, &schedule, &error) != STATUS_OK) g_error("%s", error.text);
  for (uint32_t i = 0; i < instance->program.result_count; i++) {
    out_results[i] = tensor_make(arena, &instance->program.results[i]);
    memset(out_results[i].data, 0, type_bytes(&out_results[i].type));
  }
  const oracle_t *oracle = oracle_find(instance->program.op);
  const oracle_call_t call = {.instance = instance, .arena = arena, .error = &error};
  return oracle->simulate(&call, &schedule, out_results);
}

static void check_component(rng_t *rng, place_t *place, const rise_t *rise,
                            const tensor_t given[MODELS_A_CASE][CASE_RESULTS_MAX], size_t runs,
                            counts_t *counts) {
  const type_t *type = &place->results[place->result].type;
  candidates_t candidates = {0};
  for (size_t run = 0; run < runs; run++) {
    const tensor_t *tensor = &given[run][place->result];
    add(&candidates, element_load(type->element, tensor->data, place->component));
  }
  size_t from_models = candidates.count;
  for (size_t i = 0; i < from_models; i++) {
    add_exact_ends(&candidates, place, &rise->tight, candidates.bits[i]);
  }
  add_fast_ends(&candidates, place, &rise->tight);
  add_fast_ends(&candidates, place, &rise->loose);
  add_special_values(&candidates, type->element);
  add(&candidates, rng_bits(rng) & element_mask(type->element));
  for (size_t i = 0; i < candidates.count; i++) check(place, rise, candidates.bits[i], counts);
}

static bool has_answer(const case_t *instance, const rise_t *rise, arena_t *arena) {
  if (program_broken_under(&instance->program, NULL, &rise->tight) != NULL) return false;
  if (program_broken_under(&instance->program, NULL, &rise->loose) != NULL) return false;
  accept_t accepts[CASE_RESULTS_MAX];
  const oracle_t *oracle = oracle_find(instance->program.op);
  const contract_t *const both[] = {&rise->tight, &rise->loose};
  for (size_t i = 0; i < G_N_ELEMENTS(both); i++) {
    arena_mark_t mark = arena_mark(arena);
    const oracle_call_t call = {.instance = instance, .contract = both[i], .arena = arena};
    status_t status = oracle->accept(&call, accepts);
    arena_rewind(arena, mark);
    if (status != STATUS_OK) return false;
  }
  return true;
}

static void check_case(rng_t *rng, const case_t *instance, const rise_t *rise, arena_t *arena,
                       counts_t *counts) {
  if (!has_answer(instance, rise, arena)) return;
  tensor_t given[MODELS_A_CASE][CASE_RESULTS_MAX];
  size_t runs = 0;
  for (size_t i = 0; i < MODELS_A_CASE; i++) {
    const char *name = models[i == 0 ? 0 : rng_below(rng, G_N_ELEMENTS(models))];
    if (run_model(instance, name, arena, given[runs]) == STATUS_OK) runs++;
  }
  if (runs == 0) return;
  for (uint32_t result = 0; result < instance->program.result_count; result++) {
    size_t count = type_component_count(&instance->program.results[result]);
    for (size_t i = 0; i < COMPONENTS_A_CASE && count > 0; i++) {
      place_t place = {.instance = instance,
                       .oracle = oracle_find(instance->program.op),
                       .result = result,
                       .component = rng_below(rng, count),
                       .results = given[0],
                       .arena = arena};
      check_component(rng, &place, rise, given, runs, counts);
    }
  }
}

typedef rise_t make_rise_t(rng_t *rng, const op_t *op);

static rise_t make_named_contracts(rng_t *rng, const op_t *op) {
  (void)rng;
  (void)op;
  return rng_one_in(rng, 3) ? wide_and_backend() : spec_and_backend();
}

static uint64_t environment_number(const char *name, uint64_t otherwise) {
  const char *text = g_getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

/* Every other program is small: few terms are where a bound is farthest from what is reached. */
static void check_op(const op_t *op, make_rise_t *make_rise) {
  rng_t rng = rng_make(environment_number("ASSAY_ORDER_SEED", 20261122));
  arena_t arena;
  arena_init(&arena);
  counts_t counts = {0};
  size_t programs = environment_number("ASSAY_ORDER_PROGRAMS", PROGRAMS);
  for (size_t i = 0; i < programs; i++) {
    arena_reset(&arena);
    gen_options_t options = gen_options_default();
    options.invalid_one_in = 0;
    options.limits.elements_max = i % 2 == 0 ? 8 : 128;
    options.limits.terms_max = i % 2 == 0 ? 3 : 24;
    program_t program;
    const char *broken;
    gen_program(&rng, op, &options, &arena, &program, &broken);
    rise_t rise = make_rise(&rng, op);
    for (size_t k = 0; k < CASES_A_PROGRAM; k++) {
      case_t instance = case_make(&arena, &program);
      gen_data(&rng, &instance);
      check_case(&rng, &instance, &rise, &arena, &counts);
    }
  }
  arena_deinit(&arena);
  g_test_message("%s: %zu patterns, %zu accepted, %zu rejected by the looser contract, %zu gained",
                 op->name, counts.asked, counts.accepted, counts.rejected, counts.gained);
  g_assert_cmpuint(counts.rejected, ==, 0);
  g_assert_cmpuint(counts.accepted, >, programs / 2);
}

static void test_named_within_backend(gconstpointer data) { check_op(data, make_named_contracts); }
static void test_permissions_only_add(gconstpointer data) { check_op(data, draw_rise); }

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/contract-order/named", test_named_contracts);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    g_autofree char *spec = g_strdup_printf("/contract-order/named/%s", (*op)->name);
    g_test_add_data_func(spec, *op, test_named_within_backend);
    g_autofree char *single = g_strdup_printf("/contract-order/permission/%s", (*op)->name);
    g_test_add_data_func(single, *op, test_permissions_only_add);
  }
  return g_test_run();
}

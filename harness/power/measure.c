/* SPDX-License-Identifier: Apache-2.0 */
/* Draws programs and data, finds a conforming value of each component to begin with, and measures
 * the tolerance of some. */
#include "harness/power/measure.h"

#include <math.h>
#include <string.h>

strata_t power_strata(void) {
  strata_t strata = {0};
  strata.shares[STRATUM_corner] = 2;
  strata.shares[STRATUM_tiles] = 1;
  strata.shares[STRATUM_long] = 1;
  strata.shares[STRATUM_deployment] = 1;
  return strata;
}

/* ---- Values to begin with -------------------------------------------------------------------- */

bool power_find_held(const accept_t *accept, const element_t *element, size_t component,
                     uint64_t *out_bits) {
  if (accept->decide != NULL && accept->decide[component] != 0) return false;
  if (accept->bits != NULL) {
    *out_bits = accept->bits[component];
    return true;
  }
  if (element->format == NULL || accept->low == NULL) return false;
  const double ends[] = {accept->reference == NULL ? NAN : accept->reference[component],
                         accept->low[component], accept->high[component]};
  for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
    if (isnan(ends[i])) continue;
    *out_bits = format_from_double(element->format, ends[i]);
    if (accept_holds(accept, element, component, *out_bits)) return true;
  }
  return false;
}

/* A model is asked where the fast sets know too little and it does not cost much. */
static bool is_cheap_to_simulate(const program_t *program) {
  enum { OPERATIONS_MAX = 1 << 22 };
  size_t components = 0;
  for (uint32_t i = 0; i < program->result_count; i++) {
    components += type_component_count(&program->results[i]);
  }
  return components <= OPERATIONS_MAX / MAX(program_terms(program), 1);
}

status_t power_fill_known(const oracle_t *oracle, const oracle_call_t *call,
                          const accept_t *accepts, tensor_t *results,
                          const uint8_t *out_known[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  accept_t own[CASE_RESULTS_MAX];
  if (accepts == NULL) STATUS_TRY(oracle->accept(call, own));
  if (accepts == NULL) accepts = own;
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(call->arena, &program->results[i]);
    memset(results[i].data, 0, type_bytes(&program->results[i]));
  }
  bool is_simulated = is_cheap_to_simulate(program);
  if (is_simulated) {
    implementation_model_t plain = schedule_plain();
    is_simulated = oracle->simulate(call, &plain, results) == STATUS_OK;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    const element_t *element = program->results[i].element;
    size_t count = type_component_count(&program->results[i]);
    uint8_t *known = ARENA_NEW_ARRAY(call->arena, uint8_t, count);
    for (size_t k = 0; k < count; k++) {
      uint64_t bits;
      known[k] = is_simulated || power_find_held(&accepts[i], element, k, &bits);
      if (!is_simulated && known[k] != 0) element_store(element, results[i].data, k, bits);
    }
    out_known[i] = known;
  }
  return STATUS_OK;
}

/* ---- One case -------------------------------------------------------------------------------- */

static bool is_silent(status_t status) {
  return status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED;
}

/* A row of a composite op is evaluated anew for each contract. */
static bool is_dear_to_examine(const power_row_t *row) {
  enum { TERMS_MAX = 4096 };
  return row->op->is_composite && row->terms_most > TERMS_MAX;
}

static status_t measure_component(const power_options_t *options,
                                  const tolerance_question_t *question, power_row_t *row,
                                  uint32_t result, size_t component, failure_t *error) {
  tolerance_t tolerance;
  status_t status = tolerance_find(question, result, component, &tolerance, error);
  if (is_silent(status)) return STATUS_OK;
  STATUS_TRY(status);
  if (!tolerance.is_measured) return STATUS_OK;
  g_array_append_val(row->elements, tolerance);
  if (row->examined->len >= options->examined_max || is_dear_to_examine(row)) return STATUS_OK;
  power_examined_t *examined = g_new0(power_examined_t, 1);
  examined->ulps = tolerance.ulps;
  examined->narrowings = g_array_new(FALSE, FALSE, sizeof(narrowing_t));
  g_ptr_array_add(row->examined, examined);
  return widening_find(question, result, component, &tolerance, examined->narrowings, error);
}

status_t power_measure_case(const power_options_t *options, const power_case_t *subject, rng_t *rng,
                            arena_t *arena, power_table_t *table, failure_t *error) {
  const program_t *program = &subject->instance->program;
  decision_memo_t memo;
  decision_memo_init(&memo);
  const tolerance_question_t question = {.oracle = subject->oracle,
                                         .instance = subject->instance,
                                         .contract = options->contract,
                                         .results = subject->results,
                                         .memo = &memo,
                                         .arena = arena,
                                         .deadline = subject->deadline};
  power_row_t *row = power_table_row(table, program, subject->data);
  status_t status = STATUS_OK;
  uint32_t result = (uint32_t)rng_below(rng, program->result_count);
  size_t count = type_component_count(&program->results[result]);
  size_t first = rng_below(rng, MAX(count, 1));
  for (size_t i = 0; i < MIN(options->elements, count) && status == STATUS_OK; i++) {
    size_t component = (first + i) % count;
    if (subject->known[result] != NULL && subject->known[result][component] == 0) continue;
    status = measure_component(options, &question, row, result, component, error);
  }
  decision_memo_deinit(&memo);
  return status;
}

/* ---- Drawn cases ----------------------------------------------------------------------------- */

/* The programs and data of one op. */
typedef struct drawing {
  const power_options_t *options;
  rng_t rng;
  arena_t arena;
  power_table_t *table;
  failure_t *error;
} drawing_t;

/* An op draws the same whatever other ops are measured. */
static void drawing_init(drawing_t *drawing, const power_options_t *options, const op_t *op,
                         power_table_t *table, failure_t *error) {
  uint64_t state = options->seed;
  *drawing = (drawing_t){.options = options,
                         .rng = rng_make(rng_splitmix(&state) ^ g_str_hash(op->name)),
                         .table = table,
                         .error = error};
  arena_init(&drawing->arena);
}

static status_t measure_drawn(drawing_t *drawing, const case_t *instance, power_data_t data) {
  const power_options_t *options = drawing->options;
  const oracle_t *oracle = oracle_find(instance->program.op);
  tensor_t results[CASE_RESULTS_MAX];
  power_case_t subject = {.oracle = oracle, .instance = instance, .data = data, .results = results};
  const oracle_call_t call = {.instance = instance,
                              .contract = options->contract,
                              .arena = &drawing->arena,
                              .error = drawing->error};
  status_t status = oracle == NULL ? STATUS_UNSUPPORTED
                                   : power_fill_known(oracle, &call, NULL, results, subject.known);
  if (is_silent(status)) {
    drawing->table->without_oracle++;
    return STATUS_OK;
  }
  STATUS_TRY(status);
  STATUS_TRY(power_measure_case(options, &subject, &drawing->rng, &drawing->arena, drawing->table,
                                drawing->error));
  drawing->table->cases++;
  if (options->on_case != NULL) options->on_case(options->context, drawing->table);
  return STATUS_OK;
}

/* Data of both kinds for a program. */
static status_t measure_both(drawing_t *drawing, const program_t *program, stratum_t stratum) {
  const stratum_t strata[] = {STRATUM_deployment, stratum};
  size_t kinds = drawing->options->only_ordinary ? 1 : G_N_ELEMENTS(strata);
  for (size_t i = 0; i < kinds; i++) {
    arena_mark_t mark = arena_mark(&drawing->arena);
    case_t instance = case_make(&drawing->arena, program);
    gen_data_in_stratum(&drawing->rng, strata[i], &instance);
    status_t status =
        measure_drawn(drawing, &instance, i == 0 ? POWER_DATA_ORDINARY : POWER_DATA_DRAWN);
    arena_rewind(&drawing->arena, mark);
    STATUS_TRY(status);
  }
  return STATUS_OK;
}

/* A program of the types that are wanted; false if none of many has them. */
static bool draw_program(drawing_t *drawing, const op_t *op, program_t *out_program,
                         stratum_t *out_stratum) {
  enum { ATTEMPTS = 20000 };
  const power_options_t *options = drawing->options;
  gen_options_t gen = gen_options_default();
  gen.contract = options->contract;
  gen.invalid_one_in = 0;
  draw_limits_t corner = gen.limits;
  for (int i = 0; i < ATTEMPTS; i++) {
    arena_reset(&drawing->arena);
    const char *broken;
    *out_stratum = strata_draw(&options->strata, &drawing->rng);
    bool is_corner = *out_stratum == STRATUM_corner;
    gen.limits = is_corner ? corner : stratum_limits(*out_stratum, &drawing->rng);
    gen_program(&drawing->rng, op, &gen, &drawing->arena, out_program, &broken);
    if (program_has_types(out_program, options->types)) return true;
  }
  return false;
}

status_t power_measure_op(const power_options_t *options, const op_t *op, power_table_t *table,
                          bool *out_has_types, failure_t *error) {
  drawing_t drawing;
  drawing_init(&drawing, options, op, table, error);
  status_t status = STATUS_OK;
  *out_has_types = true;
  for (uint64_t i = 0; i < options->programs && status == STATUS_OK; i++) {
    program_t program;
    stratum_t stratum;
    *out_has_types = draw_program(&drawing, op, &program, &stratum);
    if (!*out_has_types) break;
    status = measure_both(&drawing, &program, stratum);
  }
  arena_deinit(&drawing.arena);
  return status;
}

status_t power_measure_program(const power_options_t *options, const program_t *program,
                               power_table_t *table, failure_t *error) {
  drawing_t drawing;
  drawing_init(&drawing, options, program->op, table, error);
  status_t status = STATUS_OK;
  for (uint64_t i = 0; i < options->programs && status == STATUS_OK; i++) {
    arena_reset(&drawing.arena);
    status = measure_both(&drawing, program, strata_draw(&options->strata, &drawing.rng));
  }
  arena_deinit(&drawing.arena);
  return status;
}

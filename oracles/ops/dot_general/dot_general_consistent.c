#include "oracles/ops/dot_general/dot_general_consistent.h"

#include "oracles/ops/dot_general/dot_general_accept.h"

/* What is held against each algorithm. */
typedef struct evidence {
  const case_t *instance;
  const contract_t *contract;
  const tensor_t *result;
  dot_general_layout_t layout;
  size_t count; /* Components. */
} evidence_t;

static uint64_t bits_of(const evidence_t *evidence, size_t component) {
  return element_load(evidence->result->type.element, evidence->result->data, component);
}

/* Asks the careful side; `out_holds` is left alone where it has no answer. */
static status_t ask(const evidence_t *evidence, const dot_plan_t *plan, size_t component,
                    arena_t *arena, bool *out_holds, failure_t *error) {
  answer_t answer = {0};
  arena_mark_t mark = arena_mark(arena);
  status_t status = dot_general_ask_plan(evidence->instance, plan, evidence->contract, component,
                                         bits_of(evidence, component), arena, &answer, error);
  arena_rewind(arena, mark);
  if (status == STATUS_UNDECIDED) return STATUS_OK;
  if (status == STATUS_OK) *out_holds = answer.conforms;
  return status;
}

/* A few components first: most algorithms that are not the one in use already fail there, and the
 * quick sets of all components cost more than that. */
static status_t screen(const evidence_t *evidence, const dot_plan_t *plan, arena_t *arena,
                       bool *out_holds, failure_t *error) {
  enum { SCREENED = 3 };
  for (size_t i = 0; i < SCREENED && i < evidence->count && *out_holds; i++) {
    size_t component = i * (evidence->count - 1) / (SCREENED - 1);
    STATUS_TRY(ask(evidence, plan, component, arena, out_holds, error));
  }
  return STATUS_OK;
}

static status_t holds_all(const evidence_t *evidence, const dot_plan_t *plan, arena_t *arena,
                          bool *out_holds, failure_t *error) {
  *out_holds = true;
  STATUS_TRY(screen(evidence, plan, arena, out_holds, error));
  if (!*out_holds) return STATUS_OK;
  accept_t accept = dot_general_accept_plan(evidence->instance, &evidence->layout, plan,
                                            evidence->contract, arena);
  const element_t *element = evidence->result->type.element;
  for (size_t i = 0; i < evidence->count && *out_holds; i++) {
    if (accept_holds(&accept, element, i, bits_of(evidence, i))) continue;
    STATUS_TRY(ask(evidence, plan, i, arena, out_holds, error));
  }
  return STATUS_OK;
}

static status_t try_algorithm(const evidence_t *evidence, const dot_algorithm_t *algorithm,
                              arena_t *arena, GString *out_names, failure_t *error) {
  dot_plan_t plan;
  const program_t *program = &evidence->instance->program;
  status_t status = dot_plan_make_for(program, algorithm, evidence->contract, &plan, error);
  if (status == STATUS_UNSUPPORTED) return STATUS_OK;
  STATUS_TRY(status);
  bool holds;
  arena_mark_t mark = arena_mark(arena);
  status = holds_all(evidence, &plan, arena, &holds, error);
  arena_rewind(arena, mark);
  STATUS_TRY(status);
  if (!holds) return STATUS_OK;
  if (out_names->len > 0) g_string_append_c(out_names, '|');
  dot_algorithm_print_name(algorithm, out_names);
  return STATUS_OK;
}

enum { TYPE_PAIRS_MAX = 4 };

typedef struct type_pairs {
  size_t count;
  const format_t *lhs[TYPE_PAIRS_MAX];
  const format_t *rhs[TYPE_PAIRS_MAX];
} type_pairs_t;

static void add_pair(type_pairs_t *pairs, const dot_algorithm_row_t *row, const format_t *lhs,
                     const format_t *rhs) {
  if (!dot_algorithm_takes(row, lhs) || !dot_algorithm_takes(row, rhs)) return;
  for (size_t i = 0; i < pairs->count; i++) {
    if (pairs->lhs[i] == lhs && pairs->rhs[i] == rhs) return;
  }
  pairs->lhs[pairs->count] = lhs;
  pairs->rhs[pairs->count++] = rhs;
}

/* The types that operands may be rounded to by a row that leaves them open. */
static type_pairs_t open_types(const program_t *program, const dot_algorithm_row_t *row) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  type_pairs_t pairs = {0};
  if (attributes->has_algorithm && attributes->algorithm.lhs_type->kind == ELEMENT_FLOAT &&
      attributes->algorithm.rhs_type->kind == ELEMENT_FLOAT) {
    add_pair(&pairs, row, attributes->algorithm.lhs_type->format,
             attributes->algorithm.rhs_type->format);
  }
  add_pair(&pairs, row, program->operands[DOT_GENERAL_LHS].element->format,
           program->operands[DOT_GENERAL_RHS].element->format);
  if (pairs.count > 0) return pairs;
  const format_t *e4m3 = &format_table[FORMAT_f8E4M3FN], *e5m2 = &format_table[FORMAT_f8E5M2];
  add_pair(&pairs, row, e4m3, e4m3);
  add_pair(&pairs, row, e5m2, e5m2);
  return pairs;
}

bool dot_general_names_algorithm(const program_t *program) {
  dot_algorithm_t algorithm;
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return attributes->has_algorithm && dot_algorithm_find(&attributes->algorithm, &algorithm);
}

status_t dot_general_consistent(const case_t *instance, const contract_t *contract,
                                const tensor_t *results, arena_t *arena, GString *out_names,
                                failure_t *error) {
  const program_t *program = &instance->program;
  for (uint32_t i = 0; i < 2; i++) {
    if (program->operands[i].element->kind == ELEMENT_FLOAT) continue;
    return status_fail(error, STATUS_UNSUPPORTED, "dot algorithms are for floats");
  }
  const evidence_t evidence = {.instance = instance,
                               .contract = contract,
                               .result = &results[0],
                               .layout = dot_general_layout_make(program, arena),
                               .count = type_component_count(&program->results[0])};
  for (size_t i = 0; i < dot_algorithm_count; i++) {
    const dot_algorithm_row_t *row = &dot_algorithm_table[i];
    type_pairs_t pairs = {.count = 1, .lhs = {row->precision}, .rhs = {row->precision}};
    if (row->precision == NULL) pairs = open_types(program, row);
    for (size_t j = 0; j < pairs.count; j++) {
      const dot_algorithm_t algorithm = {row, pairs.lhs[j], pairs.rhs[j]};
      STATUS_TRY(try_algorithm(&evidence, &algorithm, arena, out_names, error));
    }
  }
  return STATUS_OK;
}

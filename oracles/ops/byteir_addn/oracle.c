/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of byteir.addn: a reduce over the operands, in their order. */
#include <string.h>

#include "generated/byteir_addn_faults.h"
#include "oracles/derived/term_rows.h"

static const reduction_t addition = {.body = REDUCE_add};

/* All operands one behind the other. */
static tensor_t join(const case_t *instance, arena_t *arena) {
  const program_t *program = &instance->program;
  type_t all = program->operands[0];
  size_t count = type_element_count(&all);
  all.rank = 2;
  all.dims[0] = program->operand_count;
  all.dims[1] = (int64_t)count;
  tensor_t joined = tensor_make(arena, &all);
  size_t size = count * element_bytes(all.element);
  for (uint32_t i = 0; i < program->operand_count && size > 0; i++) {
    memcpy(joined.data + i * size, instance->operands[i].data, size);
  }
  return joined;
}

/* The operands that are added, in their order; of faults, those that it adds. */
static uint32_t choose_terms(const program_t *program, fault_t fault, int64_t out_operands[]) {
  uint32_t count = 0, last = program->operand_count - 1;
  for (uint32_t i = 0; i <= last; i++) {
    if (fault == FAULT_addn_last_left_out && i == last && last > 0) continue;
    if (fault == FAULT_addn_first_two && i > 1) continue;
    bool is_first = fault == FAULT_addn_first_for_second && i == 1;
    out_operands[count++] = is_first ? 0 : i;
  }
  return count;
}

static status_t gather(const case_t *instance, uint32_t variant, fault_t fault, arena_t *arena,
                       derived_parts_t *out_parts, failure_t *error) {
  (void)variant;
  const program_t *program = &instance->program;
  int64_t operands[CASE_OPERANDS_MAX];
  uint32_t terms_of_row = choose_terms(program, fault, operands);
  size_t rows = type_element_count(&program->results[0]);
  size_t *ends = ARENA_NEW_ARRAY(arena, size_t, rows);
  int64_t *terms = ARENA_NEW_ARRAY(arena, int64_t, rows *terms_of_row);
  size_t end = 0;
  for (size_t row = 0; row < rows; row++) {
    for (uint32_t i = 0; i < terms_of_row; i++) {
      terms[end++] = operands[i] * (int64_t)rows + (int64_t)row;
    }
    ends[row] = end;
  }
  tensor_t joined = join(instance, arena), init;
  const reduction_types_t types = reduction_types(&addition, &joined.type, program->results, 1);
  bool has_none;
  STATUS_TRY(term_rows_no_init(&addition, &types.accumulations[0], arena, &init, &has_none, error));
  const term_source_t source = {.reduction = &addition,
                                .types = &types,
                                .inputs = &joined,
                                .inits = &init,
                                .has_no_init = has_none};
  const term_rows_t all = {.row_count = rows, .ends = ends, .terms = terms};
  *out_parts = term_rows_gather(&all, &source, arena);
  return STATUS_OK;
}

static const gathering_t gathering = {.gather = gather};

static const oracle_t addn_oracle = {
    .op_name = "byteir.addn", .gathering = &gathering, DERIVED_FUNCTIONS};

extern const oracle_t *const byteir_addn_oracles[];
const oracle_t *const byteir_addn_oracles[] = {&addn_oracle, NULL};

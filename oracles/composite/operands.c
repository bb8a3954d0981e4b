/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of a group as rows of an evaluator. */
#include <string.h>

#include "oracles/composite/composite.h"
#include "oracles/composite/parts.h"
#include "oracles/formula/enclosed.h"
#include "oracles/formula/fast/fast_evaluator.h"
#include "oracles/formula/model.h"

size_t problem_operand_element(const problem_t *problem, const part_t *part, uint32_t operand,
                               size_t place) {
  const composite_layout_t *layout = &problem->layout;
  const composite_places_t *gathered = &layout->gathered[operand];
  bool is_gathered = problem->composite->operand_roles[operand] == COMPOSITE_GATHERED;
  if (is_gathered) return gathered->base[part->group] + gathered->offset[place];
  size_t term = part_term(part, place);
  switch (problem->composite->operand_roles[operand]) {
    case COMPOSITE_ELEMENT:
      return layout->group_base[part->group] + layout->term_offset[term];
    case COMPOSITE_TERM:
      return term;
    case COMPOSITE_GROUP:
      return part->group;
    case COMPOSITE_SCALAR:
      return 0;
    case COMPOSITE_GATHERED: /* See above: its places are no terms. */
      break;
    case COMPOSITE_CHANNEL:
      return (layout->group_base[part->group] + layout->term_offset[term]) /
             layout->channel_stride % layout->channel_count;
  }
  g_assert_not_reached();
}

size_t problem_operand_count(const problem_t *problem, const part_t *part, uint32_t operand) {
  composite_role_t role = problem->composite->operand_roles[operand];
  if (role == COMPOSITE_GATHERED) return problem->layout.gathered[operand].count;
  return role == COMPOSITE_GROUP || role == COMPOSITE_SCALAR ? 1 : part->count;
}

uint64_t *composite_load_patterns(const formula_t *formula, uint32_t operand, size_t *out_count) {
  const tensor_t *tensor = &formula->problem->instance->operands[operand];
  size_t count = problem_operand_count(formula->problem, formula->part, operand);
  uint64_t *bits = ARENA_NEW_ARRAY(formula->arena, uint64_t, MAX(count, 1));
  for (size_t i = 0; i < count; i++) {
    size_t index = problem_operand_element(formula->problem, formula->part, operand, i);
    bits[i] = element_load(tensor->type.element, tensor->data, index);
  }
  *out_count = count;
  return bits;
}

row_t problem_load_numbers(formula_t *formula, const format_t *format, const uint64_t *bits,
                           size_t count) {
  const evaluator_t *base = shared_base(formula);
  if (base == &fast_evaluator) return fast_load(formula, format, bits, count);
  if (base == &model_evaluator) return model_load(formula, format, bits, count);
  return enclosed_load(formula, format, bits, count);
}

/* All elements of a tensor of floats. */
static double *decode_all(const tensor_t *tensor, arena_t *arena) {
  enum { PIECE = 512 };
  const element_t *element = tensor->type.element;
  size_t count = type_component_count(&tensor->type);
  double *numbers = ARENA_NEW_ARRAY(arena, double, MAX(count, 1));
  if (element->format == &format_table[FORMAT_f32]) {
    const unsigned char *data = tensor->data;
    for (size_t i = 0; i < count; i++) {
      float number;
      memcpy(&number, data + i * sizeof number, sizeof number);
      numbers[i] = (double)number;
    }
    return numbers;
  }
  if (element->format == &format_table[FORMAT_f64]) {
    memcpy(numbers, tensor->data, count * sizeof *numbers);
    return numbers;
  }
  for (size_t begin = 0; begin < count; begin += PIECE) {
    uint64_t bits[PIECE];
    size_t piece = MIN(count - begin, PIECE);
    for (size_t i = 0; i < piece; i++) bits[i] = element_load(element, tensor->data, begin + i);
    format_to_doubles(element->format, bits, piece, numbers + begin);
  }
  return numbers;
}

void problem_decode(problem_t *inout_problem) {
  const program_t *program = &inout_problem->instance->program;
  const composite_layout_t *layout = &inout_problem->layout;
  double **decoded = ARENA_NEW_ARRAY(inout_problem->arena, double *, CASE_OPERANDS_MAX);
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) {
    bool has_numbers = i < program->operand_count && program->operands[i].element->format != NULL;
    decoded[i] = has_numbers
                     ? decode_all(&inout_problem->instance->operands[i], inout_problem->arena)
                     : NULL;
  }
  bool are_consecutive = true;
  for (size_t t = 0; t < layout->term_count; t++) are_consecutive &= layout->term_offset[t] == t;
  inout_problem->decoded = decoded;
  inout_problem->are_consecutive = are_consecutive;
}

bool problem_are_adjacent(const problem_t *problem, size_t first, size_t groups) {
  const composite_layout_t *layout = &problem->layout;
  bool are_adjacent = problem->are_consecutive;
  for (size_t g = first; g + 1 < first + groups; g++) {
    are_adjacent &= layout->group_base[g + 1] == layout->group_base[g] + layout->term_count;
  }
  return are_adjacent;
}

/* Whether what a part and the groups after it have of an operand lies in one piece. */
static bool is_one_piece(const problem_t *problem, const part_t *part, uint32_t operand,
                         size_t groups) {
  const composite_role_t role = problem->composite->operand_roles[operand];
  size_t count = problem_operand_count(problem, part, operand);
  if (groups == 1 && count == 1) return true;
  if (role == COMPOSITE_GROUP) return true;
  if (part->terms != NULL) return false;
  if (role == COMPOSITE_TERM) return groups == 1;
  return role == COMPOSITE_ELEMENT && problem_are_adjacent(problem, part->group, groups);
}

/* As problem_load_operand(), of an operand that is decoded: of as many groups as the evaluator
 * takes together. */
static row_t load_decoded(const problem_t *problem, const part_t *part, uint32_t operand,
                          const formula_t *formula) {
  const size_t groups = fast_groups(formula), count = problem_operand_count(problem, part, operand);
  double *all = problem->decoded[operand];
  if (is_one_piece(problem, part, operand, groups)) {
    size_t first = count == 0 ? 0 : problem_operand_element(problem, part, operand, 0);
    return fast_row_of_points(formula, all + first, count);
  }
  double *points = ARENA_NEW_ARRAY(problem->arena, double, groups *count);
  part_t of_group = *part;
  bool is_piece = is_one_piece(problem, part, operand, 1);
  for (size_t g = 0; g < groups; g++, of_group.group++) {
    if (is_piece && count > 0) {
      size_t first = problem_operand_element(problem, &of_group, operand, 0);
      memcpy(points + g * count, all + first, count * sizeof *points);
      continue;
    }
    for (size_t i = 0; i < count; i++) {
      points[g * count + i] = all[problem_operand_element(problem, &of_group, operand, i)];
    }
  }
  return fast_row_of_points(formula, points, count);
}

row_t problem_load_operand(const problem_t *problem, const part_t *part, uint32_t operand,
                           formula_t *formula) {
  if (problem->decoded != NULL && problem->decoded[operand] != NULL &&
      shared_base(formula) == &fast_evaluator) {
    return load_decoded(problem, part, operand, formula);
  }
  const tensor_t *tensor = &problem->instance->operands[operand];
  bool is_derived = operand >= problem->instance->program.operand_count;
  const element_t *element = is_derived ? NULL : tensor->type.element;
  size_t count = problem_operand_count(problem, part, operand);
  uint64_t *bits = ARENA_NEW_ARRAY(problem->arena, uint64_t, count);
  const format_t *format = is_derived ? NULL : element->format;
  size_t *elements = ARENA_NEW_ARRAY(problem->arena, size_t, count);
  for (size_t i = 0; i < count; i++) {
    size_t index = elements[i] = problem_operand_element(problem, part, operand, i);
    if (format != NULL) {
      bits[i] = element_load(element, tensor->data, index);
    } else {
      double value =
          problem->composite->load_integer(problem->instance, &problem->layout, operand, index);
      bits[i] = format_from_double(&format_table[FORMAT_f64], value);
    }
  }
  if (format == NULL) format = &format_table[FORMAT_f64];
  row_t row = problem_load_numbers(formula, format, bits, count);
  if (problem->quantized != NULL && formula->evaluator == &enclosed_evaluator) {
    problem_widen_operand(problem, operand, elements, formula->settings, &row);
  }
  if (problem->boxes != NULL && formula->evaluator == &enclosed_evaluator) {
    problem_widen_to_boxes(problem, operand, elements, format, &row);
  }
  return row;
}

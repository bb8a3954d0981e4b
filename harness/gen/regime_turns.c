/* SPDX-License-Identifier: Apache-2.0 */
/* The regime of numbers near where the functions of a program turn. */
#include <glib.h>
#include <math.h>

#include "harness/draw/special_values.h"
#include "harness/draw/turning.h"
#include "harness/gen/regime.h"
#include "harness/kinds/module/module.h"

typedef struct turning_list {
  size_t count;
  size_t rows[TURNINGS_MAX];
} turning_list_t;

static void add_op(const op_t *op, turning_list_t *list) {
  bool has[TURNINGS_MAX] = {false};
  for (size_t i = 0; i < list->count; i++) has[list->rows[i]] = true;
  for (const char *const *name = op->turns; name != NULL && *name != NULL; name++) {
    size_t found[TURNINGS_MAX];
    size_t count = turning_find(*name, found);
    for (size_t i = 0; i < count; i++) {
      if (!has[found[i]]) list->rows[list->count++] = found[i];
      has[found[i]] = true;
    }
  }
}

/* Those of the op, or of a module's steps. */
static void list_turnings(const program_t *program, turning_list_t *out_list) {
  out_list->count = 0;
  if (!program_is_module(program) || program_broken(program) != NULL) {
    add_op(program->op, out_list);
    return;
  }
  const module_t *module = module_of(program);
  for (uint32_t i = 0; i < module->step_count; i++) {
    add_op(module->steps[i].program.op, out_list);
  }
}

bool regime_has_turns(const program_t *program) {
  turning_list_t list;
  list_turnings(program, &list);
  if (list.count == 0) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *type = &program->operands[i];
    if (type->quantization == NULL && type->element->kind == ELEMENT_FLOAT) return true;
  }
  return false;
}

/* Narrow types are often computed with in f32, whose places are others. */
static const format_t *draw_format(rng_t *rng, const format_t *own) {
  return own->bits < 32 && rng_one_in(rng, 4) ? element_named("f32")->format : own;
}

/* How far from a place the numbers of a tensor lie; 0: at any power of two of it. */
typedef double octaves_t;

/* Where a function is wrong for few of a million numbers, many must be drawn in a narrow range: a
 * tensor of many is mostly for one range, three octaves wide on both sides or a power of two
 * narrower, of two powers the narrower one. */
static octaves_t draw_octaves(rng_t *rng, size_t count) {
  enum { MANY = 256, NARROWEST = 6 };
  if (count < MANY || rng_one_in(rng, 4)) return 0;
  int64_t halvings = rng_between(rng, 0, NARROWEST);
  return ldexp(TURNING_OCTAVES, -(int)MAX(halvings, rng_between(rng, 0, NARROWEST)));
}

static uint64_t draw_component(rng_t *rng, const regime_operand_t *operand, size_t row,
                               octaves_t octaves) {
  const element_t *element = operand->target.element;
  const format_t *format = element->format;
  if (rng_one_in(rng, 16)) return special_value_zero(element, rng_one_in(rng, 2));
  const format_t *computed = draw_format(rng, format);
  double number = octaves > 0 ? turning_draw_within(rng, computed, row, octaves)
                              : turning_draw(rng, computed, row);
  bool has_sign = format->specials != FORMAT_EXPONENT_ONLY;
  return format_from_double(format, has_sign || number > 0 ? number : -number);
}

/* One place for a whole tensor, so that its elements are near one another, or any.  Operands after
 * the first are often tame: what is added to the first, or multiplies it, would hide it. */
void regime_turns(rng_t *rng, const regime_operand_t *operand) {
  const fill_target_t *target = &operand->target;
  turning_list_t list;
  list_turnings(operand->program, &list);
  bool is_tame = operand->number > 0 && rng_one_in(rng, 2);
  if (list.count == 0 || target->element->kind != ELEMENT_FLOAT || is_tame) {
    regime_small_integers(rng, operand);
    return;
  }
  size_t row = list.rows[rng_below(rng, list.count)];
  bool is_mixed = rng_one_in(rng, 3);
  octaves_t octaves = draw_octaves(rng, target->count);
  for (size_t i = 0; i < target->count; i++) {
    if (is_mixed) row = list.rows[rng_below(rng, list.count)];
    element_store(target->element, target->data, i, draw_component(rng, operand, row, octaves));
  }
}

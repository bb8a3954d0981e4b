/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates that owe the best case its label alone: the smallest of many programs drawn anew, with
 * its values repeated or new ones.  They find what no single cut of the best case leads to. */
#include "harness/shrink/state.h"

enum {
  DRAWS = 256,
  TRIED = 6,        /* Of these, how many the predicate may be asked about. */
  ELEMENTS_MIN = 6, /* Cases of fewer elements are small enough. */
};

static const draw_limits_t limits = {.rank_max = 3, .elements_max = 8, .terms_max = 4};

typedef struct sketch {
  program_t program;
  uint64_t elements;
  uint64_t ranks;
} sketch_t;

static int compare_sketches(const void *a, const void *b) {
  const sketch_t *first = (const sketch_t *)a;
  const sketch_t *second = (const sketch_t *)b;
  if (first->elements != second->elements) return first->elements < second->elements ? -1 : 1;
  if (first->ranks != second->ranks) return first->ranks < second->ranks ? -1 : 1;
  return 0;
}

static void measure_types(const type_t *types, uint32_t count, sketch_t *sketch) {
  for (uint32_t i = 0; i < count; i++) {
    sketch->elements += type_element_count(&types[i]);
    sketch->ranks += types[i].rank;
  }
}

static bool has_empty_operand(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (type_element_count(&program->operands[i]) == 0) return true;
  }
  return false;
}

/* Scales along a dimension stay as they were drawn: there are as many as the shape needs. */
static void set_element(const type_t *best, type_t *type) {
  if (type->quantization != NULL && type->quantization->axis != -1) return;
  if (best->quantization != NULL && best->quantization->axis != -1) return;
  type->element = best->element;
  type->quantization = best->quantization;
}

/* The element types of the best case, whatever was drawn: few draws would hit them. */
static bool set_elements(const program_t *best, program_t *program) {
  bool is_like =
      program->operand_count == best->operand_count && program->result_count == best->result_count;
  for (uint32_t i = 0; i < program->operand_count && is_like; i++) {
    set_element(&best->operands[i], &program->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count && is_like; i++) {
    set_element(&best->results[i], &program->results[i]);
  }
  return is_like;
}

/* False if nothing of use was drawn. */
static bool draw_sketch(shrink_t *shrink, rng_t *rng, sketch_t *out_sketch) {
  const program_t *best = &shrink->best.program;
  *out_sketch = (sketch_t){.program = {.op = best->op}};
  program_t *program = &out_sketch->program;
  best->op->draw(rng, &limits, &shrink->scratch, program);
  if (!set_elements(best, program)) return false;
  if (shrink->broken != NULL) {
    const char *id = shrink->broken->id;
    if (!op_constraint_is_forbidden(shrink->broken) || program_broken(program) != NULL)
      return false;
    if (!gen_break(rng, id, &limits, &shrink->scratch, program)) return false;
  }
  if (!shrink_admits(shrink, program)) return false;
  if (has_empty_operand(program) && !has_empty_operand(best)) return false;
  measure_types(program->operands, program->operand_count, out_sketch);
  measure_types(program->results, program->result_count, out_sketch);
  const shrink_measure_t *measure = &shrink->report.after;
  if (out_sketch->elements != measure->elements) return out_sketch->elements < measure->elements;
  return out_sketch->ranks < measure->ranks;
}

bool shrink_redraw(shrink_t *shrink) {
  if (shrink->report.after.elements < ELEMENTS_MIN || shrink_is_over(shrink)) return false;
  arena_reset(&shrink->scratch);
  rng_t rng = shrink_rng(shrink, &shrink->best.program, 1);
  sketch_t *sketches = g_new(sketch_t, DRAWS);
  size_t count = 0;
  for (int i = 0; i < DRAWS; i++) {
    if (draw_sketch(shrink, &rng, &sketches[count])) count++;
  }
  qsort(sketches, count, sizeof *sketches, compare_sketches);
  bool is_changed = false;
  uint32_t programs = shrink->report.calls;
  for (size_t i = 0; i < count && !is_changed && !shrink_is_over(shrink); i++) {
    case_t candidate = case_make(&shrink->scratch, &sketches[i].program);
    rng_t fresh = shrink_rng(shrink, &candidate.program, 2);
    gen_data(&fresh, &candidate);
    gen_tile(&shrink->best, &candidate);
    is_changed = shrink_try_shape(shrink, &candidate, true);
    if (shrink->report.calls - programs >= TRIED * 5) break;
  }
  g_free(sketches);
  return is_changed;
}

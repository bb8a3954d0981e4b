/* SPDX-License-Identifier: Apache-2.0 */
/* One operand is taken for another one, for a constant, or without its signs. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/diagnose/change/change.h"
#include "harness/model/op.h"

static double count_pairs(const solver_t *solver) {
  double operands = solver->question->instance->program.operand_count;
  return operands * operands;
}

/* A copy of the case whose operand `operand` alone may be written to. */
static case_t own_operand(solver_t *solver, uint32_t operand) {
  case_t copy = *solver->question->instance;
  copy.operands[operand] = tensor_copy(solver->arena, &copy.operands[operand]);
  return copy;
}

static bool is_same(const tensor_t *a, const tensor_t *b) {
  return memcmp(a->data, b->data, type_bytes(&a->type)) == 0;
}

static void try_change(solver_t *solver, const change_t *like, const char *detail,
                       found_causes_t *found) {
  change_t change = *like;
  change.key = detail;
  change_test(solver, &change, detail, found);
}

/* ---- For one another ------------------------------------------------------------------------- */

/* One result of several may be of one of the operands alone: then that the others are exchanged
 * tells nothing, and what reads one operand twice is as good. */
static bool gives_one_result(const solver_t *solver) {
  return solver->question->instance->program.result_count == 1;
}

static void test_pair(solver_t *solver, uint32_t a, uint32_t b, found_causes_t *found) {
  const case_t *instance = solver->question->instance;
  const size_t tried = (size_t)count_pairs(solver);
  char detail[CAUSE_DETAIL_BYTES];
  case_t changed = *instance;
  changed.operands[a].data = instance->operands[b].data;
  g_snprintf(detail, sizeof detail, "operand %u in the place of operand %u", b, a);
  const change_t aliased = {.cause = CAUSE_operand_aliased, .instance = &changed, .tried = tried};
  try_change(solver, &aliased, detail, found);
  if (a > b) return;
  changed.operands[b].data = instance->operands[a].data;
  g_snprintf(detail, sizeof detail, "operands %u and %u", a, b);
  const change_t exchanged = {
      .cause = CAUSE_operands_exchanged, .instance = &changed, .tried = tried};
  try_change(solver, &exchanged, detail, found);
}

static void test_pairs(solver_t *solver, found_causes_t *found) {
  const case_t *instance = solver->question->instance;
  const uint32_t count = instance->program.operand_count;
  for (uint32_t a = 0; a < count; a++) {
    for (uint32_t b = 0; b < count; b++) {
      const type_t *type = &instance->operands[a].type;
      bool is_one = a != b && type_equal(type, &instance->operands[b].type);
      if (!is_one || is_same(&instance->operands[a], &instance->operands[b])) continue;
      arena_mark_t mark = arena_mark(solver->arena);
      test_pair(solver, a, b, found);
      arena_rewind(solver->arena, mark);
    }
  }
}

/* All operands from the last to the first, or two of several types exchanged: with their types. */
static void test_order(solver_t *solver, const uint32_t *order, const char *detail,
                       found_causes_t *found) {
  const case_t *instance = solver->question->instance;
  case_t changed = *instance;
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    changed.operands[i] = instance->operands[order[i]];
    changed.program.operands[i] = instance->program.operands[order[i]];
  }
  if (program_broken(&changed.program) != NULL) return;
  const change_t change = {.cause = CAUSE_operands_exchanged,
                           .instance = &changed,
                           .tried = (size_t)count_pairs(solver)};
  try_change(solver, &change, detail, found);
}

static void test_orders(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  const uint32_t count = program->operand_count;
  uint32_t order[CASE_OPERANDS_MAX];
  if (count < 2 || !gives_one_result(solver)) return;
  if (!solver_tests(solver, CAUSE_operands_exchanged)) return;
  for (uint32_t i = 0; i < count; i++) order[i] = count - 1 - i;
  test_order(solver, order, "all operands, which it takes from the last to the first", found);
  for (uint32_t a = 0; a < count; a++) {
    for (uint32_t b = a + 1; b < count; b++) {
      if (type_equal(&program->operands[a], &program->operands[b])) continue;
      for (uint32_t i = 0; i < count; i++) order[i] = i == a ? b : i == b ? a : i;
      char detail[CAUSE_DETAIL_BYTES];
      g_snprintf(detail, sizeof detail, "operands %u and %u", a, b);
      test_order(solver, order, detail, found);
    }
  }
}

/* ---- For something else ---------------------------------------------------------------------- */

/* What becomes of a component: its bits, those of the first element and its number. */
typedef uint64_t operand_map_t(const element_t *element, uint64_t bits, uint64_t first);

static uint64_t to_zero(const element_t *element, uint64_t bits, uint64_t first) {
  (void)bits;
  (void)first;
  return element->format != NULL ? format_from_double(element->format, 0) : 0;
}

static uint64_t to_one(const element_t *element, uint64_t bits, uint64_t first) {
  (void)bits;
  (void)first;
  return element->format != NULL ? format_from_double(element->format, 1) : 1;
}

static uint64_t to_first(const element_t *element, uint64_t bits, uint64_t first) {
  (void)element;
  (void)bits;
  return first;
}

static uint64_t sign_of(const element_t *element) { return UINT64_C(1) << (element->bits - 1); }

static uint64_t negate(const element_t *element, uint64_t bits, uint64_t first) {
  (void)first;
  if (element->format != NULL) return bits ^ sign_of(element);
  return (0 - bits) & element_mask(element);
}

static uint64_t to_magnitude(const element_t *element, uint64_t bits, uint64_t first) {
  if ((bits & sign_of(element)) == 0) return bits;
  return negate(element, bits, first);
}

static uint64_t nan_to_zero(const element_t *element, uint64_t bits, uint64_t first) {
  bool is_nan = element->format != NULL && format_is_nan(element->format, bits);
  return is_nan ? to_zero(element, bits, first) : bits;
}

/* An infinity that a type has not stays NaN. */
static uint64_t nan_to(const element_t *element, uint64_t bits, double value) {
  bool is_nan = element->format != NULL && format_is_nan(element->format, bits);
  return is_nan ? format_from_double(element->format, value) : bits;
}

static uint64_t nan_to_lowest(const element_t *element, uint64_t bits, uint64_t first) {
  (void)first;
  return nan_to(element, bits, -(double)INFINITY);
}

static uint64_t nan_to_highest(const element_t *element, uint64_t bits, uint64_t first) {
  (void)first;
  return nan_to(element, bits, (double)INFINITY);
}

static uint64_t complement(const element_t *element, uint64_t bits, uint64_t first) {
  (void)first;
  return ~bits & element_mask(element);
}

/* As who counts from another first number has it. */
static uint64_t step(const element_t *element, uint64_t bits, uint64_t by) {
  return element_is_integer(element) ? (bits + by) & element_mask(element) : bits;
}

static uint64_t to_less(const element_t *element, uint64_t bits, uint64_t first) {
  (void)first;
  return step(element, bits, UINT64_MAX);
}

static uint64_t to_more(const element_t *element, uint64_t bits, uint64_t first) {
  (void)first;
  return step(element, bits, 1);
}

static uint64_t to_truth(const element_t *element, uint64_t bits, uint64_t first) {
  if (element->format != NULL) return bits;
  return bits != 0 ? to_one(element, bits, first) : 0;
}

static uint64_t to_low_byte(const element_t *element, uint64_t bits, uint64_t first) {
  (void)first;
  if (!element_is_integer(element) || element->bits <= 8) return bits;
  uint64_t low = bits & 0xff;
  bool extends = element->kind == ELEMENT_SIGNED && (low & 0x80) != 0;
  return (extends ? low | ~UINT64_C(0xff) : low) & element_mask(element);
}

/* As machines shift that look at the low bits of an amount alone: as many as the type's width has,
 * or at least five. */
static uint64_t to_amount(const element_t *element, uint64_t bits, uint64_t first) {
  (void)first;
  return element_is_integer(element) ? bits & (element->bits - 1U) : bits;
}

static uint64_t to_amount_of_32(const element_t *element, uint64_t bits, uint64_t first) {
  (void)first;
  return element_is_integer(element) ? bits & (MAX(element->bits, 32U) - 1U) : bits;
}

static uint64_t through_f32(const element_t *element, uint64_t bits, uint64_t first) {
  (void)first;
  if (!element_is_integer(element) || element->bits < 32) return bits;
  bool is_unsigned = element->kind == ELEMENT_UNSIGNED;
  float rounded = is_unsigned ? (float)bits : (float)element_signed_value(element, bits);
  unsigned digits = element->bits - (is_unsigned ? 0U : 1U);
  if (rounded >= ldexpf(1, (int)digits)) return element_mask(element) >> (is_unsigned ? 0 : 1);
  uint64_t moved = rounded < 0 ? (uint64_t)(int64_t)rounded : (uint64_t)rounded;
  return moved & element_mask(element);
}

static const struct {
  cause_id_t cause;
  operand_map_t *map;
  const char *words;
  bool is_of_signed;
  const char *words_of_all; /* NULL: no fault is known to do it to all. */
} maps[] = {
    {CAUSE_operand_constant, to_zero, "operand %u for zeros", false, NULL},
    {CAUSE_operand_constant, to_one, "operand %u for ones", false, NULL},
    {CAUSE_operand_spread, to_first, "operand %u", false, NULL},
    {CAUSE_operand_sign, negate, "operand %u is negated", true, NULL},
    {CAUSE_operand_sign, to_magnitude, "operand %u has magnitudes", true,
     "all operands have magnitudes"},
    {CAUSE_operand_cleaned, nan_to_zero, "NaN of operand %u reads as zero", true,
     "NaN reads as zero"},
    {CAUSE_operand_cleaned, nan_to_lowest, "NaN of operand %u reads as -infinity", true,
     "NaN reads as -infinity"},
    {CAUSE_operand_cleaned, nan_to_highest, "NaN of operand %u reads as infinity", true,
     "NaN reads as infinity"},
    {CAUSE_operand_one_off, to_less, "operand %u is one less", false, NULL},
    {CAUSE_operand_one_off, to_more, "operand %u is one more", false, NULL},
    {CAUSE_operand_bits, complement, "bits of operand %u are inverted", false, NULL},
    {CAUSE_operand_bits, to_truth, "operand %u is a truth value", false,
     "all operands are truth values"},
    {CAUSE_operand_bits, to_low_byte, "operand %u has 8 bits", false, "all operands have 8 bits"},
    {CAUSE_operand_bits, to_amount, "operand %u is modulo its width", false, NULL},
    {CAUSE_operand_bits, to_amount_of_32, "operand %u is modulo its width, or 32", false, NULL},
    {CAUSE_operand_bits, through_f32, "operand %u goes through f32", false,
     "all operands go through f32"},
};

static bool has_sign(const element_t *element) {
  if (element->kind == ELEMENT_SIGNED) return true;
  return element->format != NULL && element->format->specials != FORMAT_EXPONENT_ONLY;
}

static bool map_operand(operand_map_t *map, tensor_t *tensor) {
  const element_t *element = tensor->type.element;
  const size_t count = type_component_count(&tensor->type);
  bool is_changed = false;
  uint64_t first[2] = {0, 0};
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(element, tensor->data, i);
    if (i < element->components) first[i] = bits;
    uint64_t other = map(element, bits, first[i % element->components]);
    is_changed |= other != bits;
    element_store(element, tensor->data, i, other);
  }
  return is_changed;
}

/* Whether the map is for the operand; quantized ones have changes of their own. */
static bool suits(size_t map, const program_t *program, uint32_t operand) {
  const type_t *type = &program->operands[operand];
  bool is_of_amounts = maps[map].map == to_amount || maps[map].map == to_amount_of_32;
  if (is_of_amounts && strstr(program->op->name, ".shift_") == NULL) return false;
  return type->quantization == NULL && type_element_count(type) <= CHANGE_ELEMENTS_MAX &&
         (!maps[map].is_of_signed || has_sign(type->element));
}

/* "operand 1 for zeros". */
static void word_map(size_t map, uint32_t operand, char out_detail[CAUSE_DETAIL_BYTES]) {
  const char *words = maps[map].words;
  const char *place = strstr(words, "%u");
  g_snprintf(out_detail, CAUSE_DETAIL_BYTES, "%.*s%u%s", (int)(place - words), words, operand,
             place + 2);
}

static void test_mapped(solver_t *solver, size_t map, uint32_t operand, found_causes_t *found) {
  const uint32_t count = solver->question->instance->program.operand_count;
  case_t changed = own_operand(solver, operand);
  if (!map_operand(maps[map].map, &changed.operands[operand])) return;
  char detail[CAUSE_DETAIL_BYTES];
  word_map(map, operand, detail);
  bool is_last = operand > 0 && operand + 1 == count;
  const change_t change = {.cause = maps[map].cause,
                           .other_key = is_last ? maps[map].words : NULL,
                           .instance = &changed,
                           .tried = count};
  try_change(solver, &change, detail, found);
}

/* All operands alike: of several, since of one it is that. */
static void test_all_mapped(solver_t *solver, size_t map, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  case_t changed = *solver->question->instance;
  uint32_t mapped = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!suits(map, program, i)) continue;
    changed.operands[i] = tensor_copy(solver->arena, &changed.operands[i]);
    mapped += map_operand(maps[map].map, &changed.operands[i]);
  }
  const char *words = maps[map].words_of_all;
  const change_t change = {
      .cause = maps[map].cause, .instance = &changed, .tried = program->operand_count};
  if (mapped > 0) try_change(solver, &change, words, found);
}

/* A number that is to count, or to weigh, is the plain count of another operand's elements: a mean
 * of all samples. */
static void test_counted(solver_t *solver, uint32_t operand, uint32_t counted,
                         found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  const element_t *element = program->operands[operand].element;
  const double count = (double)type_element_count(&program->operands[counted]);
  case_t changed = own_operand(solver, operand);
  uint64_t bits = format_from_double(element->format, count);
  bool is_other = bits != element_load(element, changed.operands[operand].data, 0);
  if (!is_other || format_to_double(element->format, bits) != count) return;
  element_store(element, changed.operands[operand].data, 0, bits);
  char detail[CAUSE_DETAIL_BYTES];
  g_snprintf(detail, sizeof detail, "operand %u for the number of elements of operand %u", operand,
             counted);
  const change_t change = {
      .cause = CAUSE_operand_constant, .instance = &changed, .tried = (size_t)count_pairs(solver)};
  try_change(solver, &change, detail, found);
}

static void test_counts(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  if (!solver_tests(solver, CAUSE_operand_constant)) return;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *type = &program->operands[i];
    bool is_number = type->rank == 0 && type->quantization == NULL &&
                     type->element->format != NULL && type->element->components == 1;
    for (uint32_t other = 0; is_number && other < program->operand_count; other++) {
      arena_mark_t mark = arena_mark(solver->arena);
      if (other != i) test_counted(solver, i, other, found);
      arena_rewind(solver->arena, mark);
    }
  }
}

/* Of an op of any number of operands the first ones alone, as of one that has no more. */
static void test_beyond(solver_t *solver, uint32_t kept, const char *words, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  case_t changed = *solver->question->instance;
  for (uint32_t i = kept; i < program->operand_count; i++) {
    const type_t *type = &program->operands[i];
    bool is_alike = type->quantization == NULL && type_equal(type, &program->operands[0]) &&
                    type_element_count(type) <= CHANGE_ELEMENTS_MAX;
    if (!is_alike) return;
    changed.operands[i] = tensor_copy(solver->arena, &changed.operands[i]);
    map_operand(to_zero, &changed.operands[i]);
  }
  const change_t change = {
      .cause = CAUSE_operand_constant, .instance = &changed, .tried = program->operand_count};
  if (program->operand_count > kept) try_change(solver, &change, words, found);
}

static void test_first_ones(solver_t *solver, found_causes_t *found) {
  if (!solver_tests(solver, CAUSE_operand_constant)) return;
  arena_mark_t mark = arena_mark(solver->arena);
  test_beyond(solver, 1, "operands beyond the first for zeros", found);
  test_beyond(solver, 2, "operands beyond the second for zeros", found);
  arena_rewind(solver->arena, mark);
}

void change_operands(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  test_pairs(solver, found);
  test_orders(solver, found);
  test_first_ones(solver, found);
  test_counts(solver, found);
  for (size_t map = 0; map < G_N_ELEMENTS(maps); map++) {
    if (!solver_tests(solver, maps[map].cause)) continue;
    arena_mark_t mark = arena_mark(solver->arena);
    for (uint32_t i = 0; i < program->operand_count; i++) {
      if (suits(map, program, i)) test_mapped(solver, map, i, found);
      arena_rewind(solver->arena, mark);
    }
    if (maps[map].words_of_all != NULL) test_all_mapped(solver, map, found);
    arena_rewind(solver->arena, mark);
  }
}

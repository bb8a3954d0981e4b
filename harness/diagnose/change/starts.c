/* SPDX-License-Identifier: Apache-2.0 */
/* Start indices of slices are read as other numbers: negative ones from the end, as in Python,
 * large ones modulo something, as i32, or with the other signedness.  A kernel does that to all of
 * them, and what it reads is clamped then as ever. */
#include <glib.h>
#include <string.h>

#include "harness/diagnose/change/change.h"
#include "harness/model/op.h"

/* Of an operand with zeros around. */
enum { SPREAD_MAX = 4096 };

static const struct {
  const char *name;
  uint32_t first;  /* Of the operands that are start indices. */
  bool is_vectors; /* They are one tensor of index vectors; else a scalar for each dimension. */
} ops[] = {
#define STARTING_OP(op, first, is_vectors) {op, first, is_vectors},
#include "generated/all_starting_ops.def"
#undef STARTING_OP
};

/* A dimension that indices are of: its size, and where the last slice begins. */
typedef struct along {
  int64_t dim; /* Of operand 0. */
  uint64_t whole;
  uint64_t last;
} along_t;

typedef struct start {
  const element_t *element;
  uint64_t bits;
  bool is_negative;
  along_t along;
} start_t;

/* What the index is read as, or what it is. */
typedef int64_t reading_t(const start_t *start);

static int64_t as_it_is(const start_t *start) {
  return start->is_negative ? element_signed_value(start->element, start->bits)
                            : (int64_t)MIN(start->bits, (uint64_t)INT64_MAX);
}

static int64_t from_end(const start_t *start) {
  return as_it_is(start) + (start->is_negative ? (int64_t)start->along.whole : 0);
}

static int64_t modulo_starts(const start_t *start) {
  bool wraps = !start->is_negative && start->bits > start->along.last;
  return wraps ? (int64_t)(start->bits % (start->along.last + 1)) : as_it_is(start);
}

static int64_t modulo_size(const start_t *start) {
  bool wraps = !start->is_negative && start->along.whole > 0 && start->bits >= start->along.whole;
  return wraps ? (int64_t)(start->bits % start->along.whole) : as_it_is(start);
}

/* What is negative then is clamped to 0. */
static int64_t as_signed(const start_t *start) {
  const bool is_high = (start->bits >> (start->element->bits - 1)) != 0;
  return start->element->kind == ELEMENT_UNSIGNED && is_high ? 0 : as_it_is(start);
}

static int64_t at_zero(const start_t *start) {
  (void)start;
  return 0;
}

/* And what is large to the last. */
static int64_t as_unsigned(const start_t *start) {
  return start->is_negative ? (int64_t)start->along.last : as_it_is(start);
}

static int64_t as_i32(const start_t *start) {
  if (start->element->bits < 32) return as_it_is(start);
  int32_t cut = (int32_t)(uint32_t)start->bits;
  return start->element->kind == ELEMENT_SIGNED ? cut : MAX(cut, 0);
}

static const struct {
  reading_t *reading;
  const char *words;
} readings[] = {
    {from_end, "start indices below zero count from the end"},
    {modulo_starts, "start indices are taken modulo the number of starts"},
    {modulo_size, "start indices are taken modulo the size"},
    {as_signed, "unsigned start indices are read as signed"},
    {as_unsigned, "start indices below zero are read as unsigned"},
    {as_i32, "start indices are read as i32"},
    {at_zero, "start indices are taken for zero"},
};

/* ---- Where they are -------------------------------------------------------------------------- */

/* Reads the entry `number` of the list behind " KEY=[", or the integer behind " KEY=". */
static int64_t entry_of(const char *attributes, const char *key, uint64_t number) {
  const char *text = strstr(attributes, key);
  if (text == NULL) return -1;
  text += strlen(key);
  for (uint64_t i = 0; i < number && text != NULL; i++) {
    text = strchr(text, ',');
    if (text != NULL) text++;
  }
  return text == NULL ? -1 : g_ascii_strtoll(text, NULL, 10);
}

static along_t along_of(int64_t dim, int64_t whole, int64_t size) {
  return (along_t){.dim = dim, .whole = (uint64_t)whole, .last = (uint64_t)MAX(whole - size, 0)};
}

/* The dimension that an index of a vector is of. */
static along_t along_of_vector(const program_t *program, const char *attributes, size_t element) {
  const type_t *starts = &program->operands[1];
  int64_t along = entry_of(attributes, " index_vector_dim=", 0);
  size_t inner = 1, entry = 0;
  for (int64_t dim = along + 1; dim < starts->rank; dim++) inner *= (size_t)starts->dims[dim];
  if (along < starts->rank) entry = element / inner % (size_t)starts->dims[along];
  int64_t dim = entry_of(attributes, " start_index_map=[", entry);
  if (dim < 0 || dim >= program->operands[0].rank) return (along_t){.dim = -1};
  int64_t size = entry_of(attributes, " slice_sizes=[", (uint64_t)dim);
  return along_of(dim, program->operands[0].dims[dim], size);
}

static along_t along_of_scalar(const program_t *program, uint32_t first, uint32_t operand) {
  const type_t *slice = first == 1 ? &program->results[0] : &program->operands[1];
  const uint32_t dim = operand - first;
  return along_of(dim, program->operands[0].dims[dim], slice->dims[dim]);
}

/* ---- Read otherwise -------------------------------------------------------------------------- */

/* Writes the bits of what is read; false if the type has no such number. */
static bool read_as(size_t reading, const start_t *start, uint64_t *out_bits) {
  int64_t other = readings[reading].reading(start);
  const element_t *element = start->element;
  bool is_there = other >= element_integer_min(element) &&
                  (other < 0 || (uint64_t)other <= element_integer_max(element));
  *out_bits = other == as_it_is(start) ? start->bits : (uint64_t)other & element_mask(element);
  return is_there;
}

/* A reading of the starts of a program. */
typedef struct taken {
  size_t reading;
  size_t op;
  const program_t *program;
  const char *attributes;
} taken_t;

static start_t start_at(const taken_t *taken, uint32_t operand, const tensor_t *tensor, size_t i) {
  const element_t *element = tensor->type.element;
  start_t start = {.element = element, .bits = element_load(element, tensor->data, i)};
  start.is_negative =
      element->kind == ELEMENT_SIGNED && element_signed_value(element, start.bits) < 0;
  start.along = ops[taken->op].is_vectors
                    ? along_of_vector(taken->program, taken->attributes, i)
                    : along_of_scalar(taken->program, ops[taken->op].first, operand);
  return start;
}

/* Reads the starts of an operand so; false if its type has no number that is read. */
static bool read_operand(const taken_t *taken, uint32_t operand, tensor_t *tensor,
                         bool *inout_changed) {
  const element_t *element = tensor->type.element;
  const size_t count = type_element_count(&tensor->type);
  for (size_t i = 0; i < count; i++) {
    const start_t start = start_at(taken, operand, tensor, i);
    uint64_t bits;
    if (!read_as(taken->reading, &start, &bits)) return false;
    *inout_changed |= bits != start.bits;
    element_store(element, tensor->data, i, bits);
  }
  return true;
}

static bool is_readable(const type_t *starts) {
  return element_is_integer(starts->element) && type_element_count(starts) <= CHANGE_ELEMENTS_MAX;
}

static void test_reading(solver_t *solver, const taken_t *taken, found_causes_t *found) {
  const program_t *program = taken->program;
  case_t changed = *solver->question->instance;
  bool is_changed = false;
  for (uint32_t i = ops[taken->op].first; i < program->operand_count; i++) {
    if (!is_readable(&program->operands[i])) return;
    changed.operands[i] = tensor_copy(solver->arena, &changed.operands[i]);
    if (!read_operand(taken, i, &changed.operands[i], &is_changed)) return;
  }
  const char *words = readings[taken->reading].words;
  const change_t change = {.cause = CAUSE_other_start,
                           .key = words,
                           .instance = &changed,
                           .tried = G_N_ELEMENTS(readings)};
  if (is_changed) change_test(solver, &change, words, found);
}

/* ---- Not clamped ----------------------------------------------------------------------------- */

static const char *const beyond_words[] = {
    "slices that reach beyond the operand are zeros",
    "elements beyond the operand are zeros, since start indices are not clamped",
};

/* How far the slice is shifted when zeros are put around the operand: of each of its dimensions as
 * many as a slice has there. */
static int64_t margin_of(const along_t *along) { return (int64_t)(along->whole - along->last); }

/* The start in the operand with zeros around: a slice that is beyond lies among the first zeros. */
static int64_t start_among_zeros(const start_t *start, bool is_whole) {
  const along_t *along = &start->along;
  const int64_t margin = margin_of(along), at = as_it_is(start);
  const bool is_beyond = at < 0 || at > (int64_t)along->last;
  if (is_whole && is_beyond) return 0;
  return CLAMP(at, -margin, (int64_t)along->whole) + margin;
}

/* Shifts the starts of an operand, and notes along which dimensions zeros are put, how many; false
 * if its type has no such start.  `inout_beyond`: whether a slice is beyond. */
static bool shift_starts(const taken_t *taken, bool is_whole, uint32_t operand, tensor_t *tensor,
                         int64_t inout_margins[TYPE_RANK_MAX], bool *inout_beyond) {
  const element_t *element = tensor->type.element;
  for (size_t i = 0; i < type_element_count(&tensor->type); i++) {
    const start_t start = start_at(taken, operand, tensor, i);
    const int64_t at = as_it_is(&start), moved = start_among_zeros(&start, is_whole);
    if (start.along.dim < 0 || (uint64_t)moved > element_integer_max(element)) return false;
    inout_margins[start.along.dim] = margin_of(&start.along);
    *inout_beyond |= at < 0 || at > (int64_t)start.along.last;
    element_store(element, tensor->data, i, (uint64_t)moved);
  }
  return true;
}

/* The operand with zeros around; false if it becomes too large. */
static bool put_zeros_around(solver_t *solver, const int64_t margins[TYPE_RANK_MAX],
                             case_t *inout_case) {
  const tensor_t *from = &solver->question->instance->operands[0];
  const size_t bytes = element_bytes(from->type.element);
  type_t type = from->type;
  double count = 1;
  for (uint32_t dim = 0; dim < type.rank; dim++) {
    type.dims[dim] += 2 * margins[dim];
    count *= (double)type.dims[dim];
  }
  if (count > (double)SPREAD_MAX || type.quantization != NULL) return false;
  tensor_t to = tensor_make(solver->arena, &type);
  memset(to.data, 0, type_bytes(&type));
  for (size_t i = 0; i < type_element_count(&from->type); i++) {
    size_t rest = i, place = 0, stride = 1;
    for (uint32_t dim = type.rank; dim-- > 0;) {
      const size_t size = (size_t)from->type.dims[dim];
      place += (rest % size + (size_t)margins[dim]) * stride;
      rest /= size;
      stride *= (size_t)type.dims[dim];
    }
    memcpy(to.data + place * bytes, from->data + i * bytes, bytes);
  }
  inout_case->program.operands[0] = type;
  inout_case->operands[0] = to;
  return true;
}

/* A kernel masks what it loads, and clamps nothing: as Triton's `other=0` does. */
static void test_unclamped(solver_t *solver, const taken_t *taken, size_t which,
                           found_causes_t *found) {
  const program_t *program = taken->program;
  case_t changed = *solver->question->instance;
  int64_t margins[TYPE_RANK_MAX] = {0};
  bool is_beyond = false;
  for (uint32_t i = 1; i < program->operand_count; i++) {
    if (!is_readable(&program->operands[i])) return;
    changed.operands[i] = tensor_copy(solver->arena, &changed.operands[i]);
    if (!shift_starts(taken, which == 0, i, &changed.operands[i], margins, &is_beyond)) return;
  }
  if (!is_beyond || !put_zeros_around(solver, margins, &changed)) return;
  if (program_broken(&changed.program) != NULL) return;
  const change_t change = {.cause = CAUSE_other_start,
                           .key = beyond_words[which],
                           .instance = &changed,
                           .is_of_zeros = true,
                           .tried = G_N_ELEMENTS(readings)};
  change_test(solver, &change, beyond_words[which], found);
}

static size_t find_op(const program_t *program) {
  size_t op = 0;
  while (op < G_N_ELEMENTS(ops) && strcmp(ops[op].name, program->op->name) != 0) op++;
  return op;
}

bool change_has_starts(const program_t *program) { return find_op(program) < G_N_ELEMENTS(ops); }

void change_starts(solver_t *solver, found_causes_t *found) {
  taken_t taken = {.program = &solver->question->instance->program};
  taken.op = find_op(taken.program);
  if (taken.op == G_N_ELEMENTS(ops) || !solver_tests(solver, CAUSE_other_start)) return;
  g_autoptr(GString) attributes = g_string_new(NULL);
  program_print_attributes(taken.program, attributes);
  taken.attributes = attributes->str;
  for (; taken.reading < G_N_ELEMENTS(readings); taken.reading++) {
    arena_mark_t mark = arena_mark(solver->arena);
    test_reading(solver, &taken, found);
    arena_rewind(solver->arena, mark);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(beyond_words) && ops[taken.op].first == 1; i++) {
    arena_mark_t mark = arena_mark(solver->arena);
    test_unclamped(solver, &taken, i, found);
    arena_rewind(solver->arena, mark);
  }
}

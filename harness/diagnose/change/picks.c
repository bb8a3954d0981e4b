/* SPDX-License-Identifier: Apache-2.0 */
/* An op that picks the largest or smallest elements of a row compared or counted them otherwise.
 * Its picks are made here anew and compared to the bit (theory.md, T266). */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/diagnose/change/change.h"

enum { ROW_MAX = CHANGE_ELEMENTS_MAX };

/* How elements are compared, ... */
typedef enum comparison {
  BY_VALUE,     /* NaN is above all numbers, or below where the smallest is picked. */
  NAN_LAST,     /* NaN comes after all numbers. */
  NAN_AS_EQUAL, /* NaN compares as no other: what is held stays, or what comes wins. */
  BY_BITS,
  BY_MAGNITUDE,
  AS_F32,
  OTHER_END, /* The smallest for the largest. */
} comparison_t;

/* ... which of equal ones comes first, ... */
typedef enum ties { TIES_AS_ASKED, TIES_OTHERWISE } ties_t;

/* ... in which order picks are returned, ... */
typedef enum picked { IN_ORDER, BACKWARD, BY_PLACE } picked_t;

/* ... and what is given for an index. */
typedef enum counting {
  OF_ROW,
  OF_TENSOR,
  OF_FIRST_EQUAL,
  FROM_ONE,
  OF_BLOCKS_OF_4,
  OF_BLOCKS_OF_8,
  OF_BLOCKS_OF_16,
} counting_t;

typedef struct pick {
  comparison_t comparison;
  ties_t ties;
  picked_t picked;
  counting_t counting;
  const char *words;
} pick_t;

static const pick_t hypotheses[] = {
    {NAN_LAST, TIES_AS_ASKED, IN_ORDER, OF_ROW, "NaN after all numbers"},
    {NAN_AS_EQUAL, TIES_AS_ASKED, IN_ORDER, OF_ROW, "NaN as comparisons have it"},
    {BY_BITS, TIES_AS_ASKED, IN_ORDER, OF_ROW, "elements by their bits, as signed integers"},
    {BY_MAGNITUDE, TIES_AS_ASKED, IN_ORDER, OF_ROW, "elements by their magnitudes"},
    {AS_F32, TIES_AS_ASKED, IN_ORDER, OF_ROW, "elements as f32 has them"},
    {OTHER_END, TIES_AS_ASKED, IN_ORDER, OF_ROW, "the other end"},
    {BY_VALUE, TIES_OTHERWISE, IN_ORDER, OF_ROW, "the other one of equal elements"},
    {BY_VALUE, TIES_AS_ASKED, BACKWARD, OF_ROW, "its picks, and returns them backward"},
    {BY_VALUE, TIES_AS_ASKED, BY_PLACE, OF_ROW, "its picks, and returns them by place"},
    {BY_VALUE, TIES_AS_ASKED, IN_ORDER, OF_TENSOR, "its picks, counted in the whole tensor"},
    {BY_VALUE, TIES_AS_ASKED, IN_ORDER, OF_FIRST_EQUAL, "its picks, with the first equal's index"},
    {BY_VALUE, TIES_AS_ASKED, IN_ORDER, FROM_ONE, "its picks, counted from 1"},
    {BY_VALUE, TIES_AS_ASKED, IN_ORDER, OF_BLOCKS_OF_4, "its picks, counted in blocks of 4"},
    {BY_VALUE, TIES_AS_ASKED, IN_ORDER, OF_BLOCKS_OF_8, "its picks, counted in blocks of 8"},
    {BY_VALUE, TIES_AS_ASKED, IN_ORDER, OF_BLOCKS_OF_16, "its picks, counted in blocks of 16"},
};

/* A row, and what the op asks of it. */
typedef struct row {
  const element_t *element;
  const tensor_t *tensor;
  size_t first, stride, count; /* Elements first + i stride of the tensor. */
  bool is_smallest, takes_last;
  size_t picks;
} row_t;

static uint64_t bits_at(const row_t *row, size_t i) {
  return element_load(row->element, row->tensor->data, row->first + i * row->stride);
}

static int64_t as_integer(const element_t *element, uint64_t bits) {
  const unsigned unused = 64 - element->bits;
  return (int64_t)(bits << unused) >> unused;
}

static double key_of(const format_t *format, comparison_t comparison, uint64_t bits) {
  const double value = format_to_double(format, bits);
  if (comparison == BY_MAGNITUDE) return fabs(value);
  return comparison == AS_F32 ? (double)(float)value : value;
}

/* Above 0 if a comes before b. */
static int compare(const row_t *row, comparison_t comparison, uint64_t a, uint64_t b) {
  const int up = row->is_smallest != (comparison == OTHER_END) ? -1 : 1;
  const format_t *format = row->element->format;
  if (format == NULL && row->element->kind == ELEMENT_UNSIGNED && comparison != BY_BITS) {
    return up * ((a > b) - (a < b));
  }
  if (format == NULL || comparison == BY_BITS) {
    int64_t x = as_integer(row->element, a), y = as_integer(row->element, b);
    if (comparison == BY_MAGNITUDE) {
      x = x < 0 ? -(x + 1) : x - 1; /* Less one: the least integer has a magnitude, too. */
      y = y < 0 ? -(y + 1) : y - 1;
    }
    return up * ((x > y) - (x < y));
  }
  const double x = key_of(format, comparison, a), y = key_of(format, comparison, b);
  if (isnan(x) || isnan(y)) {
    const int nan_first = isnan(x) - isnan(y);
    if (comparison == NAN_AS_EQUAL) return 0;
    return comparison == NAN_LAST ? -nan_first : nan_first;
  }
  return up * ((x > y) - (x < y));
}

/* The places in their order; the first of them are picked. */
static void sort_places(const row_t *row, const pick_t *pick, size_t out_places[ROW_MAX]) {
  const bool takes_last = row->takes_last != (pick->ties == TIES_OTHERWISE);
  for (size_t i = 0; i < row->count; i++) {
    size_t at = i;
    for (; at > 0; at--) {
      const int sign =
          compare(row, pick->comparison, bits_at(row, i), bits_at(row, out_places[at - 1]));
      if (sign < 0 || (sign == 0 && !takes_last)) break;
      out_places[at] = out_places[at - 1];
    }
    out_places[at] = i;
  }
}

static void sort_by_place(size_t *places, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const size_t place = places[i];
    size_t at = i;
    for (; at > 0 && places[at - 1] > place; at--) places[at] = places[at - 1];
    places[at] = place;
  }
}

static size_t count_as(const row_t *row, counting_t counting, size_t place) {
  switch (counting) {
    case OF_TENSOR:
      return row->first + place * row->stride;
    case OF_FIRST_EQUAL:
      for (size_t i = 0; i < place; i++) {
        if (compare(row, BY_VALUE, bits_at(row, i), bits_at(row, place)) == 0) return i;
      }
      return place;
    case FROM_ONE:
      return place + 1;
    case OF_BLOCKS_OF_4:
      return place % 4;
    case OF_BLOCKS_OF_8:
      return place % 8;
    case OF_BLOCKS_OF_16:
      return place % 16;
    default:
      return place;
  }
}

/* ---- The ops --------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  bool picks_several; /* k= of them; else one. */
  bool is_smallest;
} ops[] = {
#define PICKING_OP(op, picks_several, is_smallest) {op, picks_several, is_smallest},
#include "generated/all_picking_ops.def"
#undef PICKING_OP
};

static int64_t number_of(const char *attributes, const char *key) {
  const char *text = strstr(attributes, key);
  if (text == NULL) return -1;
  text += strlen(key);
  return g_ascii_strtoll(*text == '[' ? text + 1 : text, NULL, 10);
}

/* The row of a component, and which of its picks that is; false if it is of no such op. */
static bool find_row(const case_t *instance, size_t component, row_t *out_row, size_t *out_pick) {
  const program_t *program = &instance->program;
  const type_t *type = &program->operands[0];
  size_t op = 0;
  while (op < G_N_ELEMENTS(ops) && strcmp(ops[op].name, program->op->name) != 0) op++;
  if (op == G_N_ELEMENTS(ops)) return false;
  const bool picks_several = ops[op].picks_several;
  g_autoptr(GString) text = g_string_new(NULL);
  program_print_attributes(program, text);
  const int64_t axis = number_of(text->str, " axis="), k = number_of(text->str, " k=");
  bool is_known = axis >= 0 && axis < type->rank && (!picks_several || k > 0) &&
                  type->element->components == 1 && type->quantization == NULL;
  if (!is_known || type_element_count(type) > ROW_MAX) return false;
  size_t inner = 1;
  for (size_t i = (size_t)axis + 1; i < type->rank; i++) inner *= (size_t)type->dims[i];
  const size_t picks = picks_several ? (size_t)k : 1;
  *out_row = (row_t){.element = type->element,
                     .tensor = &instance->operands[0],
                     .stride = inner,
                     .count = (size_t)type->dims[axis],
                     .is_smallest = ops[op].is_smallest,
                     .takes_last = strstr(text->str, "select_last_index=true") != NULL,
                     .picks = picks};
  out_row->first = component / (picks * inner) * out_row->count * inner + component % inner;
  *out_pick = component / inner % picks;
  return picks <= out_row->count;
}

/* A hypothesis, and the result that it is asked about. */
typedef struct question {
  const pick_t *pick;
  uint32_t result;
} question_t;

static computed_t compute(const void *context, const case_t *instance, size_t component,
                          uint64_t *out_bits) {
  const question_t *asked = (const question_t *)context;
  const program_t *program = &instance->program;
  row_t row;
  size_t which, places[ROW_MAX];
  if (!find_row(instance, component, &row, &which)) return COMPUTED_NONE;
  sort_places(&row, asked->pick, places);
  if (asked->pick->picked == BY_PLACE) sort_by_place(places, row.picks);
  if (asked->pick->picked == BACKWARD) which = row.picks - 1 - which;
  const size_t place = places[which];
  const bool is_value = program->result_count == 2 && asked->result == 0;
  const element_t *element = program->results[asked->result].element;
  if (is_value) {
    *out_bits = bits_at(&row, place);
  } else {
    *out_bits = count_as(&row, asked->pick->counting, place) & element_mask(element);
  }
  return COMPUTED_BITS;
}

void change_picks(solver_t *solver, found_causes_t *found) {
  const case_t *instance = solver->question->instance;
  row_t row;
  size_t which;
  if (instance->program.operand_count != 1 || !solver_tests(solver, CAUSE_other_pick)) return;
  if (!find_row(instance, 0, &row, &which)) return;
  for (size_t i = 0; i < G_N_ELEMENTS(hypotheses); i++) {
    const question_t question = {.pick = &hypotheses[i], .result = solver->verdict->result};
    const change_t change = {.cause = CAUSE_other_pick,
                             .key = hypotheses[i].words,
                             .instance = instance,
                             .compute = compute,
                             .context = &question,
                             .tried = 4};
    change_test(solver, &change, hypotheses[i].words, found);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Windows found something else than padding beyond the edge of their input, or between its dilated
 * elements: the input is written out with that, and needs no padding then. */
#include <string.h>

#include "harness/diagnose/change/change.h"
#include "harness/diagnose/change/windows.h"

enum { WRITTEN_OUT_MAX = 4096 };

/* Along one dimension. */
typedef struct line {
  int64_t length;   /* Of the input, ... */
  int64_t dilation; /* ... and from one element of it to the next. */
  int64_t last;     /* Where its last element is. */
} line_t;

/* The element that is found at a place that has none, -1: none. */
typedef int64_t beyond_t(const line_t *line, int64_t place);

/* Who dilates has checked the edge before: what holds the elements of an edge is not dilated. */
static int64_t at_edge(const line_t *line, int64_t place) {
  if (line->dilation != 1) return -1;
  return place < 0 ? 0 : place > line->last ? line->length - 1 : -1;
}

static int64_t next_to_edge(const line_t *line, int64_t place) {
  return place == -1 || place == line->length ? at_edge(line, place) : -1;
}

/* As -1 is the last one in Python. */
static int64_t from_other_edge(const line_t *line, int64_t place) {
  const int64_t inside = place < 0 ? place + line->length : place - line->length;
  return line->dilation == 1 && inside >= 0 && inside <= line->last ? inside : -1;
}

static int64_t mirrored(const line_t *line, int64_t place) {
  const int64_t inside = place < 0 ? -place : 2 * line->last - place;
  return line->dilation == 1 && inside >= 0 && inside <= line->last ? inside : -1;
}

static int64_t mirrored_with_edge(const line_t *line, int64_t place) {
  const int64_t inside = place < 0 ? -place - 1 : 2 * line->last + 1 - place;
  return line->dilation == 1 && inside >= 0 && inside <= line->last ? inside : -1;
}

static int64_t before_hole(const line_t *line, int64_t place) {
  return place >= 0 && place / line->dilation < line->length ? place / line->dilation : -1;
}

static int64_t nothing(const line_t *line, int64_t place) {
  (void)line;
  (void)place;
  return -1;
}

/* What is there where no element is found. */
typedef enum filling {
  AS_IT_IS,     /* The initial value, the zero point, or zero. */
  ZEROS,        /* Numbers that are zero, in the place of an initial value. */
  STORED_ZEROS, /* In the place of a zero point. */
} filling_t;

static const struct {
  beyond_t *beyond;
  filling_t filling;
  const char *words;
} hypotheses[] = {
    {nothing, ZEROS, "padding holds zeros in place of the initial value"},
    {nothing, STORED_ZEROS, "padding holds a stored 0 in place of the zero point"},
    {at_edge, AS_IT_IS, "padding holds the element at the edge"},
    {next_to_edge, AS_IT_IS, "padding next to the edge holds the element there"},
    {from_other_edge, AS_IT_IS, "padding holds elements of the opposite edge"},
    {mirrored, AS_IT_IS, "padding is a mirror of the elements behind the edge"},
    {mirrored_with_edge, AS_IT_IS, "padding is a mirror of the elements from the edge on"},
    {before_hole, AS_IT_IS, "holes between dilated elements hold the one before"},
};

/* ---- What stands in padding ------------------------------------------------------------------ */

/* The inputs that windows slide over: of a convolution the first operand, else one for each
 * result. */
static uint32_t count_inputs(const program_t *program, const slides_t *slides) {
  return slides->has_kernel ? 1 : program->result_count;
}

/* The bits of the component `part` of padding of an input; false if the hypothesis is not about it.
 */
static bool fill_bits(const case_t *instance, const slides_t *slides, uint32_t input,
                      filling_t filling, size_t part, uint64_t *out_bits) {
  const program_t *program = &instance->program;
  const type_t *type = &program->operands[input];
  const element_t *element = type->element;
  const uint64_t zero = element->format != NULL ? format_from_double(element->format, 0) : 0;
  *out_bits = zero;
  if (slides->has_kernel) {
    if (type->quantization == NULL) return filling == AS_IT_IS;
    if (type->quantization->count != 1 || filling == ZEROS) return false;
    const uint64_t zero_point = (uint64_t)type->quantization->zero_points[0];
    if (filling == AS_IT_IS) *out_bits = zero_point & element_mask(element);
    return filling == AS_IT_IS || zero_point != 0;
  }
  const tensor_t *init = &instance->operands[count_inputs(program, slides) + input];
  if (type->quantization != NULL || init->type.element != element) return false;
  const uint64_t bits = element_load(element, init->data, part);
  if (filling == AS_IT_IS) *out_bits = bits;
  return filling == AS_IT_IS || (filling == ZEROS && bits != zero);
}

/* ---- Written out ----------------------------------------------------------------------------- */

/* How large the input is with its padding; false if it is too large, or empty. */
static bool size_written_out(const type_t *from, const slides_t *slides, type_t *out_type) {
  *out_type = *from;
  for (uint32_t i = 0; i < slides->count; i++) {
    const slide_t *slide = &slides->items[i];
    const window_t *window = &slide->window;
    bool is_bounded = ABS(window->low) <= WRITTEN_OUT_MAX && ABS(window->high) <= WRITTEN_OUT_MAX &&
                      slide->length <= WRITTEN_OUT_MAX && window->base_dilation <= WRITTEN_OUT_MAX;
    if (!is_bounded || slide->length < 1) return false;
    out_type->dims[slide->dim] =
        window->low + (slide->length - 1) * window->base_dilation + 1 + window->high;
    if (out_type->dims[slide->dim] < 1) return false;
  }
  size_t count = 1;
  for (uint32_t dim = 0; dim < out_type->rank; dim++) {
    count *= (size_t)out_type->dims[dim];
    if (count == 0 || count > WRITTEN_OUT_MAX) return false;
  }
  return true;
}

/* The index in the input of a place along a dimension, -1: there is none. */
static int64_t source_along(const slide_t *slide, beyond_t *beyond, int64_t place) {
  const line_t line = {.length = slide->length,
                       .dilation = slide->window.base_dilation,
                       .last = (slide->length - 1) * slide->window.base_dilation};
  place -= slide->window.low;
  bool is_element = place >= 0 && place <= line.last && place % line.dilation == 0;
  return is_element ? place / line.dilation : beyond(&line, place);
}

/* The element of the input that one of the written out is, -1: none. */
static int64_t source_of(const type_t *from, const type_t *to, const slides_t *slides,
                         beyond_t *beyond, size_t at) {
  int64_t source = 0, stride = 1;
  for (uint32_t dim = to->rank; dim-- > 0;) {
    int64_t index = (int64_t)(at % (size_t)to->dims[dim]);
    at /= (size_t)to->dims[dim];
    for (uint32_t i = 0; i < slides->count; i++) {
      if (slides->items[i].dim == dim) index = source_along(&slides->items[i], beyond, index);
    }
    if (index < 0) return -1;
    source += index * stride;
    stride *= from->dims[dim];
  }
  return source;
}

/* Whether the input has places that hold something else than they should. */
static bool write_out(const case_t *instance, uint32_t input, const slides_t *slides,
                      size_t hypothesis, tensor_t *to) {
  const tensor_t *from = &instance->operands[input];
  const element_t *element = from->type.element;
  const size_t parts = element->components;
  const filling_t filling = hypotheses[hypothesis].filling;
  bool is_other = false;
  for (size_t i = 0; i < type_element_count(&to->type); i++) {
    int64_t source = source_of(&from->type, &to->type, slides, hypotheses[hypothesis].beyond, i);
    bool is_filled = source < 0;
    is_other |= filling != AS_IT_IS
                    ? is_filled
                    : !is_filled && source_of(&from->type, &to->type, slides, nothing, i) < 0;
    for (size_t part = 0; part < parts; part++) {
      uint64_t bits;
      if (!is_filled) {
        bits = element_load(element, from->data, (size_t)source * parts + part);
      } else if (!fill_bits(instance, slides, input, filling, part, &bits)) {
        return false;
      }
      element_store(element, to->data, i * parts + part, bits);
    }
  }
  return is_other;
}

/* The program without padding and holes. */
static bool set_attributes(solver_t *solver, const slides_t *slides, program_t *inout_program) {
  slides_t plain = *slides;
  for (uint32_t i = 0; i < plain.count; i++) {
    plain.items[i].window.low = 0;
    plain.items[i].window.high = 0;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  slides_print_padded(inout_program, &plain, true, text);
  scan_t scan = scan_make(str_from(arena_copy_text(solver->arena, text->str, text->len)));
  failure_t ignored;
  return program_parse_attributes(&scan, solver->arena, inout_program, &ignored) == STATUS_OK &&
         scan_at_end(&scan) && program_broken(inout_program) == NULL;
}

static void test_padding(solver_t *solver, const slides_t *slides, size_t hypothesis,
                         found_causes_t *found) {
  const case_t *instance = solver->question->instance;
  case_t changed = *instance;
  bool is_other = false;
  for (uint32_t input = 0; input < count_inputs(&instance->program, slides); input++) {
    type_t *type = &changed.program.operands[input];
    if (!size_written_out(&instance->program.operands[input], slides, type)) return;
    changed.operands[input] = tensor_make(solver->arena, type);
    is_other |= write_out(instance, input, slides, hypothesis, &changed.operands[input]);
  }
  const char *words = hypotheses[hypothesis].words;
  const change_t change = {.cause = CAUSE_other_padding,
                           .key = words,
                           .instance = &changed,
                           .tried = G_N_ELEMENTS(hypotheses)};
  if (is_other && set_attributes(solver, slides, &changed.program)) {
    change_test(solver, &change, words, found);
  }
}

void change_padding(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  slides_t slides;
  bool scatters = program->operand_count == 3 && program->result_count == 1;
  if (scatters || !solver_tests(solver, CAUSE_other_padding) || !slides_of(program, &slides))
    return;
  for (size_t i = 0; i < G_N_ELEMENTS(hypotheses); i++) {
    const change_t change = {.cause = CAUSE_other_padding, .key = hypotheses[i].words};
    if (!change_is_wanted(solver, &change)) continue;
    arena_mark_t mark = arena_mark(solver->arena);
    test_padding(solver, &slides, i, found);
    arena_rewind(solver->arena, mark);
  }
}

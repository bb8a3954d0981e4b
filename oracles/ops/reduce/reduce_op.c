#include "oracles/ops/reduce/reduce_op.h"

#include <inttypes.h>

const reduce_body_row_t reduce_body_table[REDUCE_BODY_COUNT] = {
#define REDUCE_BODY(name, inputs, domain, summary) {#name, inputs, domain, summary},
#include "oracles/ops/reduce/bodies.def"
#undef REDUCE_BODY
};

dimension_list_t reduce_kept_dimensions(const program_t *program) {
  return dimension_list_rest(program->operands[0].rank, &reduce_attributes(program)->dimensions,
                             NULL);
}

dimension_list_t reduce_reduced_dimensions(const program_t *program) {
  dimension_list_t kept = reduce_kept_dimensions(program);
  return dimension_list_rest(program->operands[0].rank, &kept, NULL);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static status_t parse_body(scan_t *scan, reduce_body_t *out_body, failure_t *error) {
  scan_t start = *scan;
  str_t name = scan_until(scan, " ");
  for (int body = 0; body < REDUCE_BODY_COUNT; body++) {
    if (str_equal_text(name, reduce_body_table[body].name)) {
      *out_body = (reduce_body_t)body;
      return STATUS_OK;
    }
  }
  return scan_fail(&start, error, "no body of a reduction is called \"%.*s\"",
                   (int)MIN(name.size, 64), name.data);
}

static status_t parse_attributes(scan_t *scan, arena_t *arena, program_t *inout_program,
                                 failure_t *error) {
  reduce_attributes_t *attributes = ARENA_NEW_ARRAY(arena, reduce_attributes_t, 1);
  *attributes = (reduce_attributes_t){0};
  STATUS_TRY(scan_expect(scan, " ", error));
  STATUS_TRY(scan_expect(scan, "body=", error));
  STATUS_TRY(parse_body(scan, &attributes->body, error));
  STATUS_TRY(scan_expect(scan, " dims=", error));
  STATUS_TRY(dimension_list_parse(scan, &attributes->dimensions, error));
  inout_program->attributes = attributes;
  return STATUS_OK;
}

static void print_attributes(const program_t *program, GString *out_text) {
  const reduce_attributes_t *attributes = reduce_attributes(program);
  g_string_append_printf(out_text, " body=%s dims=", reduce_body_table[attributes->body].name);
  dimension_list_print(&attributes->dimensions, out_text);
}

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, reduce_body_table[reduce_attributes(program)->body].name);
}

/* "dimensions 0 and 2", "no dimension". */
static void print_dimension_words(const dimension_list_t *list, GString *out_text) {
  if (list->count == 0) g_string_append(out_text, "no dimension");
  for (uint32_t i = 0; i < list->count; i++) {
    const char *before = i == 0 ? (list->count == 1 ? "dimension " : "dimensions ")
                                : (i + 1 == list->count ? " and " : ", ");
    g_string_append_printf(out_text, "%s%" PRId64, before, list->dims[i]);
  }
}

static void print_words(const program_t *program, GString *out_text) {
  const char *violation = reduce_validate(program);
  if (violation != NULL) {
    g_string_append_printf(out_text, "is not a reduction: it breaks %s", violation);
    return;
  }
  const reduce_attributes_t *attributes = reduce_attributes(program);
  const type_t *input = &program->operands[0];
  dimension_list_t reduced = reduce_reduced_dimensions(program);
  g_string_append_printf(out_text, "%s each slice of ",
                         reduce_body_table[attributes->body].summary);
  type_print(input, out_text);
  g_string_append(out_text, " along ");
  print_dimension_words(&attributes->dimensions, out_text);
  g_string_append_printf(out_text, ", accumulating in ");
  type_print_element(&program->results[0], out_text);
  g_string_append_printf(out_text, ": %zu result elements of %zu terms each",
                         type_element_count(&program->results[0]),
                         dimension_list_extent(&reduced, input));
}

/* ---- Roles of the operands ------------------------------------------------------------------- */

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  if (operand >= reduce_input_count(program)) return 0;
  return dimension_list_mask(&reduce_attributes(program)->dimensions);
}

static bool is_init_operand(const program_t *program, uint32_t operand) {
  return operand >= reduce_input_count(program);
}

/* The number that every other one of the format is not below (or, if `largest`, not above). */
static uint64_t extreme_float(const format_t *format, bool largest) {
  if (format->specials == FORMAT_EXPONENT_ONLY) return largest ? format->largest_bits : 0;
  number_t infinity = {.kind = NUMBER_INFINITY, .negative = !largest};
  bool saturates = !format_has_infinity(format);
  return format_encode(format, infinity, ROUNDING_NEAREST_EVEN,
                       saturates ? OVERFLOW_SATURATE : OVERFLOW_FORMAT);
}

static uint64_t extreme_bits(const element_t *element, bool largest) {
  if (element->format != NULL) return extreme_float(element->format, largest);
  uint64_t value = largest ? element_integer_max(element) : (uint64_t)element_integer_min(element);
  return value & element_mask(element);
}

static uint64_t number_bits(const element_t *element, int number) {
  return element->format != NULL ? format_from_double(element->format, number) : (uint64_t)number;
}

static uint64_t neutral_bits(const program_t *program, uint32_t operand) {
  const element_t *element = program->operands[operand].element;
  bool is_first = operand == reduce_init_operand(program, 0);
  switch (reduce_attributes(program)->body) {
    case REDUCE_multiply:
      return number_bits(element, 1);
    case REDUCE_maximum:
      return extreme_bits(element, false);
    case REDUCE_minimum:
      return extreme_bits(element, true);
    case REDUCE_and:
      return element_mask(element);
    case REDUCE_argmax:
      return is_first ? extreme_bits(element, false) : 0;
    case REDUCE_argmin:
      return is_first ? extreme_bits(element, true) : 0;
    default:
      return number_bits(element, 0);
  }
}

/* ---- The row --------------------------------------------------------------------------------- */

static const op_constraint_t constraints[] = {
    {"C1", "all inputs have the same shape"},
    {"C2", "each input and its initial value have the same element type"},
    {"C3", "there are as many inputs as initial values and as results, and at least one"},
    {"C4", "each entry of dimensions is at least 0 and below the rank of the inputs"},
    {"C5", "the entries of dimensions are unique"},
    {"C6",
     "the body takes and returns one scalar for each input, of a type to which that input "
     "can be promoted"},
    {"C7", "each result has the shape of its input without the reduced dimensions"},
    {"C8",
     "each result has the element type that the body returns; a case names no other, so it "
     "cannot break this"},
    {"types",
     "the operands are unquantized tensors, initial values have rank 0, and the body is "
     "defined on the accumulation types"},
    {NULL, NULL},
};

const op_t reduce_op = {
    .name = "stablehlo.reduce",
    .spec = "StableHLO specification, reduce",
    .summary = "combines the elements of slices with a body, from an initial value",
    .attributes_bytes = sizeof(reduce_attributes_t),
    .constraints = constraints,
    .draw = reduce_draw,
    .break_constraint = reduce_break_constraint,
    .validate = reduce_validate,
    .parse_attributes = parse_attributes,
    .print_attributes = print_attributes,
    .print_algorithm = print_algorithm,
    .print_mlir = reduce_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .is_init_operand = is_init_operand,
    .neutral_bits = neutral_bits,
    .axes = reduce_axes,
    .with_axes = reduce_with_axes,
};

const op_t *const reduce_ops[] = {&reduce_op, NULL};

/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of reductions as text: in case lines, and as the region that MLIR has. */
#include <inttypes.h>

#include "harness/kinds/body.h"
#include "harness/model/mlir.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static status_t parse_number(scan_t *scan, const scan_t *start, uint32_t limit, const char *message,
                             uint8_t *out_number, failure_t *error) {
  int64_t number;
  STATUS_TRY(scan_integer(scan, &number, error));
  if (number < 0 || number >= limit) return scan_fail(start, error, "%s", message);
  *out_number = (uint8_t)number;
  return STATUS_OK;
}

/* a0, b1 or v2, a step of which there are `known`. */
static status_t parse_value(scan_t *scan, uint32_t known, body_value_t *out_value,
                            failure_t *error) {
  static const char *const letters[] = {[BODY_LEFT] = "a", [BODY_RIGHT] = "b", [BODY_STEP] = "v"};
  scan_t start = *scan;
  for (uint8_t place = 0; place < G_N_ELEMENTS(letters); place++) {
    if (!scan_accept(scan, letters[place])) continue;
    out_value->place = place;
    bool is_step = place == BODY_STEP;
    return parse_number(scan, &start, is_step ? known : (uint32_t)CASE_RESULTS_MAX,
                        is_step ? "a body's step is named before it is used"
                                : "a body has at most the arguments a0 to a3 and b0 to b3",
                        &out_value->number, error);
  }
  return scan_fail_expecting(scan, error, "an argument (a0, b0) or a step (v0)");
}

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Behind "constant(": the type, and as many digits as it has. */
static status_t parse_constant(scan_t *scan, body_step_t *out_step, failure_t *error) {
  scan_t start = *scan;
  str_t name = scan_until(scan, ",)");
  out_step->element = element_find(name);
  if (out_step->element == NULL || !body_takes(out_step->element)) {
    return scan_fail(&start, error,
                     "a body's constant is of bf16, f16, f32, f64, an integer type or i1");
  }
  STATUS_TRY(scan_expect(scan, ",", error));
  start = *scan;
  uint32_t digits = (out_step->element->bits + 3u) / 4u;
  for (uint32_t i = 0; i < digits; i++) {
    int digit = digit_of(scan_peek(scan));
    if (digit < 0) {
      return scan_fail(&start, error, "expected %u hex digits for %s", digits,
                       out_step->element->name);
    }
    out_step->bits = out_step->bits << 4 | (uint64_t)digit;
    scan->cursor++;
  }
  if ((out_step->bits & ~element_mask(out_step->element)) != 0) {
    return scan_fail(&start, error, "the constant has bits that %s has not",
                     out_step->element->name);
  }
  return STATUS_OK;
}

static status_t parse_values(scan_t *scan, uint32_t known, uint32_t count, body_value_t values[],
                             failure_t *error) {
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) STATUS_TRY(scan_expect(scan, ",", error));
    STATUS_TRY(parse_value(scan, known, &values[i], error));
  }
  return STATUS_OK;
}

/* "v0=add(a0,b0);", of which the scan stands at the v. */
static status_t parse_step(scan_t *scan, body_t *body, failure_t *error) {
  uint32_t number = body->step_count;
  scan_t start = *scan;
  if (number == BODY_STEPS_MAX) {
    return scan_fail(&start, error, "a body has at most %d steps", (int)BODY_STEPS_MAX);
  }
  char name[8];
  g_snprintf(name, sizeof name, "v%u=", number);
  STATUS_TRY(scan_expect(scan, name, error));
  start = *scan;
  str_t op = scan_until(scan, "(;} ");
  body_step_t *step = &body->steps[number];
  for (step->op = 0; step->op < BODY_OP_COUNT; step->op++) {
    if (str_equal_text(op, body_op_table[step->op].name)) break;
  }
  if (step->op == BODY_OP_COUNT) {
    return scan_fail(&start, error, "no op of a body is called \"%.*s\"", (int)MIN(op.size, 64),
                     op.data);
  }
  STATUS_TRY(scan_expect(scan, "(", error));
  if (step->op == BODY_constant) {
    STATUS_TRY(parse_constant(scan, step, error));
  } else {
    uint32_t operands = body_op_table[step->op].operands;
    STATUS_TRY(parse_values(scan, number, operands, step->operands, error));
  }
  body->step_count++;
  return scan_expect(scan, ");", error);
}

status_t body_parse(scan_t *scan, body_t *out_body, failure_t *error) {
  *out_body = (body_t){0};
  STATUS_TRY(scan_expect(scan, "{", error));
  while (scan_peek(scan) == 'v') STATUS_TRY(parse_step(scan, out_body, error));
  if (!scan_accept(scan, "return(")) {
    return scan_fail_expecting(scan, error, "a step (\"v0=...\") or \"return(\"");
  }
  do {
    if (out_body->result_count == CASE_RESULTS_MAX) {
      return scan_fail(scan, error, "a body returns at most %d values", (int)CASE_RESULTS_MAX);
    }
    body_value_t *result = &out_body->results[out_body->result_count++];
    STATUS_TRY(parse_value(scan, out_body->step_count, result, error));
  } while (scan_accept(scan, ","));
  return scan_expect(scan, ")}", error);
}

body_t body_from(const char *text) {
  body_t body;
  failure_t error;
  scan_t scan = scan_make(str_from(text));
  status_t status = body_parse(&scan, &body, &error);
  g_assert(status == STATUS_OK && scan_at_end(&scan));
  return body;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static void print_value(body_value_t value, GString *out_text) {
  g_string_append_printf(out_text, "%c%u", "abv"[value.place], value.number);
}

static void print_step(const body_step_t *step, uint32_t number, GString *out_text) {
  const body_op_row_t *row = &body_op_table[step->op];
  g_string_append_printf(out_text, "v%u=%s(", number, row->name);
  if (row->types == BODY_CONSTANT) {
    g_string_append_printf(out_text, "%s,%0*" PRIx64, step->element->name,
                           (step->element->bits + 3) / 4, step->bits);
  }
  for (uint32_t k = 0; k < row->operands; k++) {
    if (k > 0) g_string_append_c(out_text, ',');
    print_value(step->operands[k], out_text);
  }
  g_string_append(out_text, ");");
}

void body_print(const body_t *body, GString *out_text) {
  g_string_append_c(out_text, '{');
  for (uint32_t i = 0; i < body->step_count; i++) print_step(&body->steps[i], i, out_text);
  g_string_append(out_text, "return(");
  for (uint32_t i = 0; i < body->result_count; i++) {
    if (i > 0) g_string_append_c(out_text, ',');
    print_value(body->results[i], out_text);
  }
  g_string_append(out_text, ")}");
}

/* ---- MLIR ------------------------------------------------------------------------------------ */

/* Types of values in a region; that of what there is none of is argument 0's. */
typedef struct region_types {
  const element_t *const *arguments;
  uint32_t count;
  const element_t *steps[BODY_STEPS_MAX];
} region_types_t;

static const element_t *region_type(const region_types_t *types, body_value_t value) {
  if (value.place == BODY_STEP) return types->steps[value.number];
  return types->arguments[value.number < types->count ? value.number : 0];
}

/* Value number 0 is the op's own result. */
static void print_mlir_value(body_value_t value, GString *out_text) {
  static const char *const names[] = {"%lhs", "%rhs", "%"};
  uint32_t number = value.place == BODY_STEP ? value.number + 1u : value.number;
  g_string_append_printf(out_text, "%s%u", names[value.place], number);
}

static void print_mlir_constant(const body_step_t *step, GString *out_text) {
  const element_t *element = step->element;
  g_string_append(out_text, "\"stablehlo.constant\"() <{value = dense<");
  if (element->kind == ELEMENT_FLOAT) {
    g_string_append_printf(out_text, "0x%0*" PRIX64, element->bits / 4, step->bits);
  } else if (element->kind == ELEMENT_BOOLEAN) {
    g_string_append(out_text, step->bits != 0 ? "true" : "false");
  } else if (element->kind == ELEMENT_SIGNED) {
    g_string_append_printf(out_text, "%" PRId64, element_signed_value(element, step->bits));
  } else {
    g_string_append_printf(out_text, "%" PRIu64, step->bits);
  }
  g_string_append(out_text, "> : ");
  mlir_print_scalar(element, out_text);
  g_string_append(out_text, "}>");
}

static void print_mlir_operands(const body_step_t *step, GString *out_text) {
  const body_op_row_t *row = &body_op_table[step->op];
  bool is_comparison = row->types == BODY_COMPARISON;
  size_t prefix = strlen("compare_");
  g_string_append_printf(out_text, "\"stablehlo.%s\"(", is_comparison ? "compare" : row->name);
  for (uint32_t k = 0; k < row->operands; k++) {
    if (k > 0) g_string_append(out_text, ", ");
    print_mlir_value(step->operands[k], out_text);
  }
  g_string_append_c(out_text, ')');
  if (!is_comparison) return;
  g_string_append_printf(out_text,
                         " <{comparison_direction = #stablehlo<comparison_direction %s>}>",
                         row->name + prefix);
}

static void print_mlir_step(const body_t *body, uint32_t number, region_types_t *types,
                            GString *out_text) {
  const body_step_t *step = &body->steps[number];
  const body_op_row_t *row = &body_op_table[step->op];
  g_string_append_printf(out_text, "      %%%u = ", number + 1);
  if (row->types == BODY_CONSTANT) {
    print_mlir_constant(step, out_text);
    types->steps[number] = step->element;
  } else {
    print_mlir_operands(step, out_text);
    bool is_selection = row->types == BODY_SELECTION;
    types->steps[number] = row->types == BODY_COMPARISON
                               ? element_named("i1")
                               : region_type(types, step->operands[is_selection ? 1 : 0]);
  }
  g_string_append(out_text, " : (");
  for (uint32_t k = 0; k < row->operands; k++) {
    if (k > 0) g_string_append(out_text, ", ");
    mlir_print_scalar(region_type(types, step->operands[k]), out_text);
  }
  g_string_append(out_text, ") -> ");
  mlir_print_scalar(types->steps[number], out_text);
  g_string_append_c(out_text, '\n');
}

void body_print_mlir(const body_t *body, const element_t *const arguments[], uint32_t count,
                     GString *out_text) {
  region_types_t types = {.arguments = arguments, .count = count};
  for (uint32_t i = 0; i < body->step_count; i++) print_mlir_step(body, i, &types, out_text);
  g_string_append(out_text, "      \"stablehlo.return\"(");
  for (uint32_t i = 0; i < body->result_count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    print_mlir_value(body->results[i], out_text);
  }
  g_string_append(out_text, ") : (");
  for (uint32_t i = 0; i < body->result_count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    mlir_print_scalar(region_type(&types, body->results[i]), out_text);
  }
  g_string_append(out_text, ") -> ()\n");
}

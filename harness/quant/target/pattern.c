/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns printed, and which ops commute. */
#include "harness/quant/target/pattern.h"

#include <string.h>

#include "harness/model/op.h"

bool quant_op_is_commutative(const op_t *op) {
  static const char *const names[] = {"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum",
                                      "stablehlo.minimum"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (strcmp(op->name, names[i]) == 0) return true;
  }
  return false;
}

static void print_argument(const quant_pattern_t *pattern, const quant_argument_t *argument,
                           GString *out_text) {
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  switch (argument->kind) {
    case QUANT_ARGUMENT_LINE:
      g_string_append(out_text, pattern->lines[argument->index].name);
      return;
    case QUANT_ARGUMENT_PORT:
      g_string_append(out_text, pattern->ports[argument->index]);
      return;
    case QUANT_ARGUMENT_PORTS:
      g_string_append_printf(out_text, "%s...", pattern->ports[argument->index]);
      return;
    case QUANT_ARGUMENT_NUMBER:
      g_string_append(out_text, g_ascii_dtostr(number, sizeof number, argument->number));
      return;
    case QUANT_ARGUMENT_COUNT:
      g_string_append_printf(out_text, "count(%s)", pattern->lines[argument->index].name);
      return;
    case QUANT_ARGUMENT_SHARE:
      g_string_append_printf(out_text, "1/count(%s)", pattern->lines[argument->index].name);
      return;
  }
}

void quant_pattern_print_line(const quant_pattern_t *pattern, uint32_t line, GString *out_text) {
  const quant_pattern_line_t *printed = &pattern->lines[line];
  g_string_append_printf(out_text, "  %s %s %s(", printed->name, printed->is_optional ? "?=" : "=",
                         printed->op->name);
  for (uint32_t i = 0; i < printed->argument_count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    print_argument(pattern, &printed->arguments[i], out_text);
  }
  g_string_append_c(out_text, ')');
  for (uint32_t i = 0; i < printed->condition_count; i++) {
    const quant_condition_t *condition = &printed->conditions[i];
    g_string_append_printf(out_text, " %s=%s", condition->attribute, condition->text);
  }
  g_string_append_c(out_text, '\n');
}

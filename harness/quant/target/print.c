/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a target description in the syntax that its parser reads; rules are printed by walking
 * their declared syntax word by word. */
#include <inttypes.h>

#include "harness/quant/target/target.h"
#include "harness/types/scale.h"

static void print_storage(const quant_signature_port_t *port, GString *out_text) {
  const element_t *storage = port->storage;
  g_string_append(out_text, storage->name);
  bool is_full = port->storage_min == element_integer_min(storage) &&
                 port->storage_max == (int64_t)element_integer_max(storage);
  if (is_full) return;
  g_string_append_printf(out_text, "<%" PRId64 ":%" PRId64 ">", port->storage_min,
                         port->storage_max);
}

static void print_port(const quant_signature_port_t *port, GString *out_text) {
  g_string_append_printf(out_text, "  %s %s ", port->is_output ? "out" : "in", port->name);
  switch (port->kind) {
    case QUANT_PORT_STORAGE:
      print_storage(port, out_text);
      break;
    case QUANT_PORT_WILDCARD:
      g_string_append_c(out_text, '*');
      break;
    case QUANT_PORT_FLOAT:
      g_string_append(out_text, port->storage == NULL ? "float" : port->storage->name);
      break;
  }
  if (port->is_symmetric) g_string_append(out_text, " symmetric");
  if (port->axis != -1) g_string_append_printf(out_text, " axis=%d", port->axis);
  if (port->is_constant) g_string_append(out_text, " constant");
  if (port->is_optional) g_string_append(out_text, " optional");
  if (port->is_repeated) g_string_append(out_text, " repeated");
  g_string_append_c(out_text, '\n');
}

/* By the words of the rule's syntax (quant_rule_t). */
static void print_rule(const quant_target_row_t *row, const quant_rule_use_t *use,
                       GString *out_text) {
  g_string_append_printf(out_text, "  rule %s", use->rule->name);
  uint32_t next = 0;
  scan_t words = scan_make(str_from(use->rule->syntax));
  do {
    str_t word = scan_until(&words, " ");
    if (str_equal_text(word, "PORT")) {
      g_string_append_printf(out_text, " %s", row->ports[use->ports[next++]].name);
    } else if (str_equal_text(word, "PORTS")) {
      while (next < use->port_count) {
        g_string_append_printf(out_text, " %s", row->ports[use->ports[next++]].name);
      }
    } else if (str_equal_text(word, "FUNCTION")) {
      g_string_append_printf(out_text, " %s", use->function_name);
    } else if (str_equal_text(word, "SCALE:ZERO_POINT")) {
      g_string_append_c(out_text, ' ');
      scale_print(use->scale, out_text);
      g_string_append_printf(out_text, ":%" PRId64, use->zero_point);
    } else {
      g_string_append_printf(out_text, " %.*s", STR_FORMAT(word));
    }
  } while (scan_accept(&words, " "));
  g_string_append_c(out_text, '\n');
}

void quant_target_print(const quant_target_t *table, GString *out_text) {
  g_string_append_printf(out_text, "table %s\ndefault ", table->name);
  print_storage(&table->default_port, out_text);
  g_string_append_c(out_text, '\n');
  if (table->library != NULL) g_string_append_printf(out_text, "library %s\n", table->library);
  for (uint32_t r = 0; r < table->row_count; r++) {
    const quant_target_row_t *row = &table->rows[r];
    g_string_append_printf(out_text, "\nkernel %s\n", row->kernel);
    for (uint32_t p = 0; p < row->port_count; p++) print_port(&row->ports[p], out_text);
    for (uint32_t u = 0; u < row->rule_count; u++) print_rule(row, &row->rules[u], out_text);
    g_string_append(out_text, "end\n");
  }
  for (uint32_t i = 0; i < table->pattern_count; i++) {
    const quant_pattern_t *pattern = &table->patterns[i];
    g_string_append_printf(out_text, "\npattern %s\n", pattern->kernel);
    for (uint32_t line = 0; line < pattern->line_count; line++) {
      quant_pattern_print_line(pattern, line, out_text);
    }
    g_string_append(out_text, "end\n");
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A line "rule NAME ...", by the words of the rule's syntax (quant_rule_t). */
#include <inttypes.h>
#include <math.h>

#include "harness/quant/target/library.h"
#include "harness/quant/target/rule_text.h"

static status_t parse_port(scan_t *scan, const target_draft_t *draft, bool may_be_repeated,
                           quant_rule_use_t *use, failure_t *error) {
  str_t name;
  STATUS_TRY(table_take_name(scan, "the name of a port", &name, error));
  uint32_t port = 0;
  while (port < draft->row.port_count && !str_equal_text(name, draft->ports[port].name)) port++;
  if (port == draft->row.port_count) {
    return scan_fail(scan, error, "kernel %.64s has no port called %.*s", draft->row.kernel,
                     (int)MIN(name.size, 64), name.data);
  }
  for (uint32_t i = 0; i < use->port_count; i++) {
    if (use->ports[i] != port) continue;
    return scan_fail(scan, error, "a rule names port %.64s once", draft->ports[port].name);
  }
  if (draft->ports[port].kind == QUANT_PORT_FLOAT) {
    return scan_fail(scan, error, "port %.64s is float, of which no rule speaks",
                     draft->ports[port].name);
  }
  if (draft->ports[port].is_repeated && !may_be_repeated) {
    return scan_fail(scan, error, "%s speaks of one port, and %.64s is repeated", use->rule->name,
                     draft->ports[port].name);
  }
  use->ports[use->port_count++] = port;
  return STATUS_OK;
}

/* A positive number: hexadecimal or decimal, as strtod reads it in the C locale. */
static status_t parse_scale(scan_t *scan, double *out_scale, failure_t *error) {
  scan_t start = *scan;
  char copy[64] = "";
  str_t text = scan_until(scan, ": \t");
  if (text.size < sizeof copy) memcpy(copy, text.data, text.size);
  char *end = copy;
  bool is_number = g_ascii_isdigit(copy[0]) || copy[0] == '.';
  double scale = is_number ? g_ascii_strtod(copy, &end) : 0;
  bool is_whole = is_number && end == copy + text.size;
  if (!is_whole || !(scale > 0) || isinf(scale)) {
    return scan_fail_expecting(&start, error, "a positive finite scale such as 0x1p-8");
  }
  *out_scale = scale;
  return STATUS_OK;
}

/* The parameters are for all ports named so far. */
static status_t parse_parameters(scan_t *scan, const target_draft_t *draft, quant_rule_use_t *use,
                                 failure_t *error) {
  (void)table_at_line_end(scan);
  STATUS_TRY(parse_scale(scan, &use->scale, error));
  STATUS_TRY(scan_expect(scan, ":", error));
  scan_t start = *scan;
  STATUS_TRY(scan_integer(scan, &use->zero_point, error));
  for (uint32_t i = 0; i < use->port_count; i++) {
    const quant_signature_port_t *port = &draft->ports[use->ports[i]];
    bool is_outside = port->kind == QUANT_PORT_STORAGE &&
                      (use->zero_point < port->storage_min || use->zero_point > port->storage_max);
    if (is_outside || (port->is_symmetric && use->zero_point != 0)) {
      return scan_fail(&start, error, "port %.64s does not admit zero point %" PRId64, port->name,
                       use->zero_point);
    }
  }
  return STATUS_OK;
}

/* A name in the table's library. */
static status_t parse_function(table_reader_t *reader, quant_rule_use_t *use, failure_t *error) {
  scan_t start = reader->scan;
  str_t name;
  STATUS_TRY(table_take_name(&reader->scan, "the name of a function", &name, error));
  if (reader->library == NULL) {
    return scan_fail(&start, error, "a function needs a line library PATH before all kernels");
  }
  use->function_name = arena_copy_text(reader->arena, name.data, name.size);
  use->function = quant_library_find(reader->library, use->function_name);
  if (use->function != NULL) return STATUS_OK;
  return scan_fail(&start, error, "%.200s exports no function %.64s", reader->table.library,
                   use->function_name);
}

static status_t parse_syntax_word(table_reader_t *reader, str_t word, quant_rule_use_t *use,
                                  failure_t *error) {
  scan_t *scan = &reader->scan;
  const target_draft_t *draft = &reader->draft;
  if (str_equal_text(word, "FUNCTION")) return parse_function(reader, use, error);
  if (str_equal_text(word, "PORT")) return parse_port(scan, draft, false, use, error);
  if (str_equal_text(word, "SCALE:ZERO_POINT")) return parse_parameters(scan, draft, use, error);
  if (str_equal_text(word, "PORTS")) {
    do {
      STATUS_TRY(parse_port(scan, draft, true, use, error));
    } while (!table_at_line_end(scan));
    return STATUS_OK;
  }
  char literal[8] = "";
  memcpy(literal, word.data, MIN(word.size, sizeof literal - 1));
  (void)table_at_line_end(scan);
  return scan_expect(scan, literal, error);
}

status_t table_parse_rule(table_reader_t *reader, failure_t *error) {
  scan_t *scan = &reader->scan;
  quant_target_row_t *row = &reader->draft.row;
  if (row->rule_count == QUANT_RULES_MAX) {
    return scan_fail(scan, error, "a row has at most %d rules", (int)QUANT_RULES_MAX);
  }
  (void)table_at_line_end(scan);
  scan_t start = *scan;
  str_t name;
  STATUS_TRY(table_take_name(scan, "the name of a rule", &name, error));
  quant_rule_use_t use = {.rule = quant_rule_find(name)};
  if (use.rule == NULL) return scan_fail_expecting(&start, error, "a rule of target.md");
  scan_t words = scan_make(str_from(use.rule->syntax));
  do {
    STATUS_TRY(parse_syntax_word(reader, scan_until(&words, " "), &use, error));
  } while (scan_accept(&words, " "));
  reader->draft.rules[row->rule_count++] = use;
  return STATUS_OK;
}

/* ---- Circles --------------------------------------------------------------------------------- */

/* Bit `to` of an entry `from`: parameters of `to` follow from those of `from`. */
typedef struct reach {
  uint32_t equal[QUANT_PORTS_MAX];   /* By rules whose ports follow from one another, "PORTS". */
  uint32_t follows[QUANT_PORTS_MAX]; /* By those whose first port follows from the others. */
} reach_t;

static void add_rule(const quant_rule_use_t *use, reach_t *inout_reach) {
  bool is_mutual = g_str_has_suffix(use->rule->syntax, "PORTS");
  for (uint32_t i = 0; i < use->port_count; i++) {
    for (uint32_t k = 0; k < use->port_count; k++) {
      uint32_t from = use->ports[i], to = use->ports[k];
      if (is_mutual) inout_reach->equal[from] |= 1U << to;
      if (!is_mutual && i > 0 && k == 0) inout_reach->follows[from] |= 1U << to;
    }
  }
}

/* All ports that what `ports` have leads to, by either kind of rule. */
static uint32_t closure(const reach_t *reach, uint32_t ports) {
  uint32_t before = 0;
  while (before != ports) {
    before = ports;
    for (uint32_t p = 0; p < QUANT_PORTS_MAX; p++) {
      if ((before >> p & 1) != 0) ports |= reach->equal[p] | reach->follows[p];
    }
  }
  return ports;
}

status_t table_check_rules(const scan_t *scan, const target_draft_t *draft, failure_t *error) {
  reach_t reach = {.equal = {0}};
  for (uint32_t i = 0; i < draft->row.rule_count; i++) add_rule(&draft->rules[i], &reach);
  for (uint32_t p = 0; p < draft->row.port_count; p++) {
    if ((closure(&reach, reach.follows[p]) >> p & 1) == 0) continue;
    return scan_fail(scan, error, "by the rules of kernel %.64s port %.64s follows from itself",
                     draft->row.kernel, draft->ports[p].name);
  }
  return STATUS_OK;
}

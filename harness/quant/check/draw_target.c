/* SPDX-License-Identifier: Apache-2.0 */
/* Draws target descriptions as text: one to three signatures per kernel with random ports, and
 * rules among them that the ports can obey. */
#include "harness/quant/check/draw_target.h"

#include "harness/quant/check/draw_kernel.h"
#include "harness/quant/spec/draw.h"

enum { PORTS_MAX = 4 };

/* A port of a row while it is drawn. */
typedef struct port_plan {
  char name[24];
  bool is_output, is_repeated, is_optional, is_constant;
  int axis; /* Along which scales may differ, or -1. */
  bool is_float, is_wildcard, is_symmetric;
  const char *narrow; /* Of a float port: as what it is stored, or "float". */
  quant_draw_storage_t storage;
} port_plan_t;

/* Reads the words of one port: "weights:constant:3". */
static port_plan_t read_port(const char *words, bool is_output) {
  port_plan_t port = {.is_output = is_output, .axis = -1};
  gchar **parts = g_strsplit(words, ":", -1);
  g_strlcpy(port.name, parts[0], sizeof port.name);
  for (gchar **word = parts + 1; *word != NULL; word++) {
    if (g_str_equal(*word, "repeated")) {
      port.is_repeated = true;
    } else if (g_str_equal(*word, "optional")) {
      port.is_optional = true;
    } else if (g_str_equal(*word, "constant")) {
      port.is_constant = true;
    } else {
      port.axis = (*word)[0] - '0';
    }
  }
  g_strfreev(parts);
  return port;
}

/* Splits the ports of a kernel; returns their count. */
static uint32_t read_ports(const quant_draw_kernel_t *kernel, port_plan_t out_ports[PORTS_MAX]) {
  gchar **words = g_strsplit(kernel->ports, " ", -1);
  uint32_t count = 0;
  bool is_output = false;
  for (gchar **word = words; *word != NULL; word++) {
    if (g_str_equal(*word, "->")) {
      is_output = true;
    } else {
      g_assert(count < PORTS_MAX);
      out_ports[count++] = read_port(*word, is_output);
    }
  }
  g_strfreev(words);
  return count;
}

static bool has_zero(const quant_draw_storage_t *storage) {
  return storage->minimum <= 0 && storage->maximum >= 0;
}

/* Decides what kind of port it is; `common` is the storage that most ports of the row have. */
static void draw_port(rng_t *rng, const quant_draw_storage_t *common, port_plan_t *inout_port) {
  inout_port->storage = rng_one_in(rng, 8) ? quant_draw_storage(rng) : *common;
  if (inout_port->is_optional && !rng_one_in(rng, 6)) { /* A bias: an accumulator. */
    inout_port->storage = (quant_draw_storage_t){.name = "i32",
                                                 .type_min = INT32_MIN,
                                                 .type_max = INT32_MAX,
                                                 .minimum = INT32_MIN,
                                                 .maximum = INT32_MAX};
  }
  inout_port->is_wildcard = rng_one_in(rng, 9);
  static const char *const FLOATS[] = {"float", "bf16", "f16"};
  inout_port->is_float = !inout_port->is_wildcard && rng_one_in(rng, 25);
  inout_port->narrow = FLOATS[inout_port->is_float ? rng_below(rng, G_N_ELEMENTS(FLOATS)) : 0];
  bool is_asked = inout_port->is_optional || inout_port->is_constant;
  inout_port->is_symmetric = has_zero(&inout_port->storage) && rng_one_in(rng, is_asked ? 2 : 8);
  if (rng_one_in(rng, 4)) inout_port->is_constant = false;
  if (rng_one_in(rng, 12)) inout_port->is_optional = false;
  if (rng_one_in(rng, 3)) inout_port->axis = -1;
  if (inout_port->axis < 0 && rng_one_in(rng, 25)) inout_port->axis = 0;
}

static void append_port(const port_plan_t *port, GString *out_text) {
  g_string_append_printf(out_text, "  %s %s ", port->is_output ? "out" : "in", port->name);
  if (port->is_wildcard) {
    g_string_append_c(out_text, '*');
  } else if (port->is_float) {
    g_string_append(out_text, port->narrow);
  } else {
    quant_draw_storage_text(&port->storage, out_text);
    if (port->is_symmetric) g_string_append(out_text, " symmetric");
    if (port->axis >= 0) g_string_append_printf(out_text, " axis=%d", port->axis);
  }
  if (port->is_constant) g_string_append(out_text, " constant");
  if (port->is_optional) g_string_append(out_text, " optional");
  if (port->is_repeated) g_string_append(out_text, " repeated");
  g_string_append_c(out_text, '\n');
}

static const port_plan_t *find_port(const port_plan_t *ports, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++) {
    if (g_str_equal(ports[i].name, name)) return &ports[i];
  }
  return NULL;
}

/* Whether rules may speak of all of these ports, which a NULL ends. */
static bool are_quantized(const port_plan_t *const *ports) {
  for (; *ports != NULL; ports++) {
    if ((*ports)->is_float) return false;
  }
  return true;
}
#define PORTS(...) ((const port_plan_t *const[]){__VA_ARGS__, NULL})

static void append_fixed_scale(rng_t *rng, const port_plan_t *port, GString *out_text) {
  static const char *const SCALES[] = {"0x1p-8", "0.5", "0.0078125", "0x1p-2"};
  int64_t zero_point = port->is_symmetric || port->is_wildcard
                           ? 0
                           : rng_between(rng, port->storage.minimum, port->storage.maximum);
  g_string_append_printf(out_text, "  rule fixed_scale %s %s:%" G_GINT64_FORMAT "\n", port->name,
                         SCALES[rng_below(rng, G_N_ELEMENTS(SCALES))], zero_point);
}

/* Rules among ports of a row with weights. */
static void append_weighted_rules(rng_t *rng, const port_plan_t *ports, uint32_t count,
                                  GString *out_text) {
  const port_plan_t *weights = find_port(ports, count, "weights");
  const port_plan_t *bias = find_port(ports, count, "bias");
  if (weights == NULL || rng_one_in(rng, 4)) return;
  if (!are_quantized(PORTS(&ports[0], weights, bias))) return;
  g_string_append(out_text, "  rule multiplier_accumulator_scale bias = input * weights\n");
}

/* Rules among ports of a row with two operands.  Returns whether the result follows from these, so
 * that they may not follow from it. */
static bool append_binary_rules(rng_t *rng, const port_plan_t *ports, uint32_t count,
                                GString *out_text) {
  const port_plan_t *left = find_port(ports, count, "left");
  const port_plan_t *right = find_port(ports, count, "right");
  const port_plan_t *output = &ports[count - 1];
  if (left == NULL) return false;
  bool follows = rng_one_in(rng, 5) && are_quantized(PORTS(left, right, output));
  if (follows) {
    g_string_append_printf(out_text, "  rule multiplier_scale %s = left * right\n", output->name);
  }
  if (rng_one_in(rng, 6) && are_quantized(PORTS(left, right))) {
    g_string_append(out_text, "  rule same_scale left right\n");
  }
  return follows;
}

static void append_rules(rng_t *rng, const port_plan_t *ports, uint32_t count, GString *out_text) {
  const port_plan_t *input = &ports[0], *output = &ports[count - 1];
  bool is_weighted = find_port(ports, count, "weights") != NULL;
  append_weighted_rules(rng, ports, count, out_text);
  bool follows = append_binary_rules(rng, ports, count, out_text);
  if (!follows && rng_one_in(rng, is_weighted ? 10 : 2) && are_quantized(PORTS(input, output))) {
    g_string_append_printf(out_text, "  rule same_scale %s %s\n", input->name, output->name);
  }
  if (rng_one_in(rng, 8) && are_quantized(PORTS(output))) {
    append_fixed_scale(rng, output, out_text);
  }
  if (rng_one_in(rng, 40) && are_quantized(PORTS(input)) && !input->is_repeated) {
    append_fixed_scale(rng, input, out_text);
  }
}

static void append_row(rng_t *rng, const quant_draw_kernel_t *kernel,
                       const quant_draw_storage_t *common, GString *out_text) {
  port_plan_t ports[PORTS_MAX];
  uint32_t count = read_ports(kernel, ports);
  g_string_append_printf(out_text, "kernel %s\n", kernel->name);
  for (uint32_t i = 0; i < count; i++) {
    draw_port(rng, common, &ports[i]);
    append_port(&ports[i], out_text);
  }
  append_rules(rng, ports, count, out_text);
  g_string_append(out_text, "end\n");
}

void quant_draw_target_text(rng_t *rng, GString *out_text) {
  quant_draw_storage_t common = quant_draw_storage(rng);
  g_string_append(out_text, "table drawn\ndefault ");
  quant_draw_storage_text(&common, out_text);
  g_string_append_c(out_text, '\n');
  for (const quant_draw_kernel_t *kernel = quant_draw_kernels(); kernel->name != NULL; kernel++) {
    if (rng_one_in(rng, 16)) continue;
    uint32_t rows = rng_one_in(rng, 3) ? (uint32_t)rng_between(rng, 2, 3) : 1;
    for (uint32_t i = 0; i < rows; i++) {
      quant_draw_storage_t storage = rng_one_in(rng, 4) ? quant_draw_storage(rng) : common;
      append_row(rng, kernel, &storage, out_text);
    }
  }
}

status_t quant_draw_target(rng_t *rng, arena_t *arena, quant_target_t *out_table,
                           failure_t *error) {
  GString *text = g_string_new(NULL);
  quant_draw_target_text(rng, text);
  failure_t parsed = {.text = ""};
  status_t status = quant_target_parse((str_t){text->str, text->len}, arena, out_table, &parsed);
  if (status != STATUS_OK) {
    status = status_fail(error, status, "drew a table that is not read: %s", parsed.text);
  }
  g_string_free(text, TRUE);
  return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a graph for Graphviz before or after propagation: regions as tables of ports coloured by
 * what became of them, values as edges, rescales highlighted, and a legend. */
#include "harness/quant/propagate/picture.h"

#include <inttypes.h>

#include "harness/quant/propagate/explain.h"

/* `propagation` is NULL in the picture before it. */
typedef struct picture {
  const quant_graph_t *graph;
  const quant_propagation_t *propagation;
  GString *dot;
  GString *scratch;
} picture_t;

static const char COLOUR_PLAIN[] = "#ffffff";
static const char COLOUR_QUANTIZED[] = "#d8ecd8";
static const char COLOUR_RESCALED[] = "#ffd9a0";
static const char COLOUR_KEPT[] = "#e4e4e4";
static const char COLOUR_OPEN[] = "#fff6b0";
static const char COLOUR_REFUSED[] = "#f6c4c4";

/* Names and specs hold '<' and '&'. */
static void append_escaped(GString *dot, const char *text) {
  char *escaped = g_markup_escape_text(text, -1);
  g_string_append(dot, escaped);
  g_free(escaped);
}

/* Per-channel parameters as their first and a count. */
static void append_spec(picture_t *picture, const quant_spec_t *spec) {
  g_string_truncate(picture->scratch, 0);
  if (spec->kind == QUANT_SPEC_UNIFORM && spec->uniform->count > 1) {
    g_string_printf(picture->scratch, "%s, %" PRIu32 " scales, %.4g ...", spec->storage->name,
                    spec->uniform->count, spec->uniform->scales[0]);
  } else if (spec->kind == QUANT_SPEC_UNIFORM) {
    g_string_printf(picture->scratch, "%s, %.6g:%" PRId64, spec->storage->name,
                    spec->uniform->scales[0], spec->uniform->zero_points[0]);
  } else {
    quant_spec_print(spec, picture->scratch);
  }
  append_escaped(picture->dot, picture->scratch->str);
}

static const char *port_colour(const picture_t *picture, uint32_t region, uint32_t port) {
  if (picture->propagation == NULL) return COLOUR_PLAIN;
  const quant_region_result_t *result = &picture->propagation->regions[region];
  if (result->row == NULL || result->refusal != NULL) return COLOUR_REFUSED;
  if (result->ports[port].is_rescaled) return COLOUR_RESCALED;
  switch (result->ports[port].spec.kind) {
    case QUANT_SPEC_UNIFORM:
      return COLOUR_QUANTIZED;
    case QUANT_SPEC_KEEP:
      return COLOUR_KEPT;
    case QUANT_SPEC_OPEN:
    case QUANT_SPEC_ANY:
    case QUANT_SPEC_CALIBRATED:
    default:
      return COLOUR_OPEN;
  }
}

static void draw_port(picture_t *picture, uint32_t region, uint32_t port) {
  const quant_region_t *row = &picture->graph->regions[region];
  GString *dot = picture->dot;
  bool is_input = port < row->input_count;
  g_string_append_printf(dot, "<tr><td port=\"p%" PRIu32 "\" align=\"left\" bgcolor=\"%s\">", port,
                         port_colour(picture, region, port));
  append_escaped(dot, is_input ? "in " : "out ");
  append_escaped(dot, picture->graph->values[row->ports[port].value].name);
  g_string_append(dot, "</td><td align=\"left\">");
  if (picture->propagation == NULL) {
    append_spec(picture, quant_port_constraint(picture->graph, &row->ports[port]));
  } else {
    append_spec(picture, &picture->propagation->regions[region].ports[port].spec);
    g_string_append(dot, "</td><td align=\"left\">");
    g_string_truncate(picture->scratch, 0);
    quant_explain_source(picture->propagation, region, port, picture->scratch);
    append_escaped(dot, picture->scratch->str);
  }
  g_string_append(dot, "</td></tr>\n");
}

static void draw_region(picture_t *picture, uint32_t region) {
  const quant_region_t *row = &picture->graph->regions[region];
  GString *dot = picture->dot;
  g_string_append_printf(dot,
                         "  r%" PRIu32
                         " [label=<<table border=\"0\" cellborder=\"1\" "
                         "cellspacing=\"0\">\n<tr><td colspan=\"3\"><b>",
                         region);
  append_escaped(dot, row->name);
  g_string_append(dot, "</b> ");
  append_escaped(dot, row->kernel);
  if (picture->propagation != NULL && picture->propagation->regions[region].refusal != NULL) {
    g_string_append(dot, "<br/>");
    append_escaped(dot, picture->propagation->regions[region].refusal);
  }
  g_string_append(dot, "</td></tr>\n");
  for (uint32_t i = 0; i < quant_port_count(row); i++) draw_port(picture, region, i);
  g_string_append(dot, "</table>>];\n");
}

static bool is_rescaled(const picture_t *picture, uint32_t region, uint32_t port) {
  return picture->propagation != NULL &&
         picture->propagation->regions[region].ports[port].is_rescaled;
}

/* Values are nodes of their own where nobody makes them, or where the graph ends. */
static void draw_value(picture_t *picture, uint32_t index) {
  const quant_value_t *value = &picture->graph->values[index];
  GString *dot = picture->dot;
  if (value->producer == QUANT_NONE) {
    const char *shape = value->constant == NULL ? "ellipse" : "note";
    g_string_append_printf(dot, "  v%" PRIu32 " [shape=%s, label=<", index, shape);
    append_escaped(dot, value->name);
    g_string_append(dot, "<br/>");
    append_spec(picture, &value->spec);
    g_string_append(dot, ">];\n");
  }
  GString *from = g_string_new(NULL);
  if (value->producer == QUANT_NONE) {
    g_string_printf(from, "v%" PRIu32, index);
  } else {
    g_string_printf(from, "r%" PRId32 ":p%" PRIu32, value->producer, value->producer_port);
  }
  bool leaves_rescaled = value->producer != QUANT_NONE &&
                         is_rescaled(picture, (uint32_t)value->producer, value->producer_port);
  for (uint32_t i = 0; i < value->use_count; i++) {
    const quant_use_t *use = &value->uses[i];
    bool rescales = leaves_rescaled || is_rescaled(picture, use->region, use->port);
    g_string_append_printf(dot, "  %s -> r%" PRIu32 ":p%" PRIu32 "%s;\n", from->str, use->region,
                           use->port,
                           rescales ? " [label=\"rescale\", color=\"#c06000\", penwidth=2]" : "");
  }
  if (value->is_output) {
    g_string_append_printf(dot, "  o%" PRIu32 " [shape=doublecircle, label=\"", index);
    g_string_append(dot, value->name);
    g_string_append_printf(dot, "\"];\n  %s -> o%" PRIu32 ";\n", from->str, index);
  }
  g_string_free(from, TRUE);
}

static void draw_legend(picture_t *picture) {
  const struct {
    const char *colour;
    const char *words;
  } rows[] = {{COLOUR_QUANTIZED, "quantized"},
              {COLOUR_RESCALED, "rescaled: the value has other parameters"},
              {COLOUR_KEPT, "high precision, as the kernel wants it"},
              {COLOUR_OPEN, "quantizable, and nothing is known"},
              {COLOUR_REFUSED, "the region is refused"}};
  g_string_append(picture->dot,
                  "  legend [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">\n");
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_string_append_printf(picture->dot, "<tr><td bgcolor=\"%s\" align=\"left\">%s</td></tr>\n",
                           rows[i].colour, rows[i].words);
  }
  g_string_append(picture->dot, "</table>>];\n");
}

static void draw(picture_t *picture) {
  GString *dot = picture->dot;
  g_string_append_printf(dot, "digraph \"%s\" {\n", picture->graph->name);
  g_string_append(dot,
                  "  rankdir=TB;\n  node [shape=plain, fontname=\"Helvetica\", fontsize=10];\n"
                  "  edge [fontname=\"Helvetica\", fontsize=9];\n");
  for (uint32_t i = 0; i < picture->graph->region_count; i++) draw_region(picture, i);
  for (uint32_t i = 0; i < picture->graph->value_count; i++) draw_value(picture, i);
  if (picture->propagation != NULL) draw_legend(picture);
  g_string_append(dot, "}\n");
}

void quant_picture_before(const quant_graph_t *graph, GString *out_dot) {
  picture_t picture = {.graph = graph, .dot = out_dot, .scratch = g_string_new(NULL)};
  draw(&picture);
  g_string_free(picture.scratch, TRUE);
}

void quant_picture_after(const quant_propagation_t *propagation, GString *out_dot) {
  picture_t picture = {.graph = propagation->graph,
                       .propagation = propagation,
                       .dot = out_dot,
                       .scratch = g_string_new(NULL)};
  draw(&picture);
  g_string_free(picture.scratch, TRUE);
}

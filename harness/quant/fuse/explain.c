/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel fusion in sentences: what each op became, and why those that are left were not taken. */
#include <inttypes.h>

#include "harness/quant/fuse/state.h"

static const char *result_name(const quant_graph_t *graph, uint32_t op) {
  return quant_region_key(graph, &graph->regions[op]);
}

/* Constraints on tensors that went inside. */
static void explain_constraints(const quant_fusion_t *fusion, const quant_match_t *match,
                                GString *out_text) {
  const quant_graph_t *graph = fusion->graph;
  for (uint32_t i = 0; i < match->op_count; i++) {
    const quant_region_t *op = &graph->regions[match->ops[i]];
    const quant_value_t *value = &graph->values[op->ports[op->input_count].value];
    if (match->ops[i] == match->root || value->spec.kind == QUANT_SPEC_OPEN) continue;
    g_string_append_printf(out_text, "  constraint ");
    quant_spec_print(&value->spec, out_text);
    g_string_append_printf(out_text, " on %s is inside, and not considered in quantization\n",
                           value->name);
  }
}

static void explain_match(const quant_fusion_t *fusion, const quant_match_t *match,
                          GString *out_text) {
  const quant_graph_t *graph = fusion->graph;
  g_string_append_printf(out_text,
                         "region %s (%s): pattern of line %" PRIu32
                         " of table %s, row of line %" PRIu32 "\n",
                         match->region, match->pattern->kernel, match->pattern->line,
                         fusion->table->name, match->row->line);
  for (uint32_t i = 0; i < match->op_count; i++) {
    const quant_region_t *op = &graph->regions[match->ops[i]];
    const quant_op_fate_t *fate = &fusion->fates[match->ops[i]];
    g_string_append_printf(out_text, "  %s (%s) is ", result_name(graph, match->ops[i]),
                           op->kernel);
    if (match->lines[i] == QUANT_NONE) {
      g_string_append(out_text, "a number that is widened");
    } else {
      g_string_append(out_text, match->pattern->lines[match->lines[i]].name);
    }
    if (fate->is_copied && !fate->is_dropped) {
      g_string_append(out_text, ", copied: it is made of constants and used elsewhere too");
    }
    g_string_append_c(out_text, '\n');
  }
  for (uint32_t i = 0; i < match->op_count; i++) {
    const quant_op_fate_t *fate = &fusion->fates[match->ops[i]];
    if (match->lines[i] == QUANT_NONE || fate->blocked == NULL) continue;
    g_string_append_printf(out_text, "  not ended in %s by %s\n", result_name(graph, match->ops[i]),
                           fate->blocked);
  }
  explain_constraints(fusion, match, out_text);
}

static void explain_left(const quant_fusion_t *fusion, uint32_t op, GString *out_text) {
  const quant_op_fate_t *fate = &fusion->fates[op];
  const char *kernel = fusion->graph->regions[op].kernel;
  g_string_append_printf(out_text, "op %s (%s) is left: ", result_name(fusion->graph, op), kernel);
  if (fate->is_constant) {
    g_string_append(out_text, "it is made of constants alone\n");
  } else if (fate->reason == NULL) {
    g_string_append_printf(out_text, "no pattern of table %s ends in %s\n", fusion->table->name,
                           kernel);
  } else {
    g_string_append_printf(out_text, "%s\n", fate->reason);
    bool is_other = fate->blocked != NULL && fate->blocked != fate->reason;
    if (is_other) g_string_append_printf(out_text, "  nor by %s\n", fate->blocked);
  }
}

void quant_fuse_explain(const quant_fusion_t *fusion, GString *out_text) {
  const quant_graph_t *graph = fusion->graph;
  arena_t arena;
  arena_init(&arena);
  const uint32_t *order = quant_graph_order(graph, &arena);
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_op_fate_t *fate = &fusion->fates[order[i]];
    if (fate->match == QUANT_NONE) continue;
    const quant_match_t *match = &fusion->matches[fate->match];
    if (match->root == order[i]) explain_match(fusion, match, out_text);
  }
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_op_fate_t *fate = &fusion->fates[order[i]];
    if (!graph->regions[order[i]].is_op || fate->match != QUANT_NONE || fate->is_dropped) continue;
    explain_left(fusion, order[i], out_text);
  }
  arena_deinit(&arena);
  quant_fuse_summary(fusion, out_text);
}

void quant_fuse_summary(const quant_fusion_t *fusion, GString *out_text) {
  uint32_t before = 0, left = 0;
  for (uint32_t r = 0; r < fusion->graph->region_count; r++)
    before += !fusion->graph->regions[r].is_op;
  for (uint32_t r = 0; r < fusion->fused.region_count; r++) left += fusion->fused.regions[r].is_op;
  uint32_t ops = fusion->graph->region_count - before;
  g_string_append_printf(out_text,
                         "fused: %" PRIu32 " regions of %" PRIu32 " ops, %" PRIu32
                         " ops left in no region; %" PRIu32 " regions were there\n",
                         fusion->match_count, ops - left, left, before);
}

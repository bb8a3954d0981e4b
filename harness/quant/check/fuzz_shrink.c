/* SPDX-License-Identifier: Apache-2.0 */
/* Shrinks a violating pair by leaving out one item at a time (calls, regions, outputs,
 * annotations, kernels of the target, rules) until no omission keeps the violation. */
#include "harness/quant/check/fuzz.h"
#include "harness/quant/graph/rebuild.h"

/* What a smaller case is made by: leaves out item `index` of `kind`.  False if there is no such
 * item, or nothing would change. */
typedef bool shrink_step_t(const quant_fuzz_case_t *from, uint32_t index, arena_t *arena,
                           quant_fuzz_case_t *out_case);

static bool build(quant_parts_t *parts, const quant_fuzz_case_t *from, arena_t *arena,
                  quant_fuzz_case_t *out_case) {
  *out_case = *from;
  return quant_parts_build(parts, arena, &out_case->graph, NULL, NULL, NULL) == STATUS_OK;
}

static bool drop_calls(const quant_fuzz_case_t *from, uint32_t index, arena_t *arena,
                       quant_fuzz_case_t *out_case) {
  if (index > 0 || from->graph.call_count == 0) return false;
  quant_parts_t parts = quant_parts_take(&from->graph, arena);
  parts.drops_calls = true;
  return build(&parts, from, arena, out_case);
}

/* What it made becomes an input; outputs of that are dropped while others are left. */
static bool drop_region(const quant_fuzz_case_t *from, uint32_t index, arena_t *arena,
                        quant_fuzz_case_t *out_case) {
  const quant_graph_t *graph = &from->graph;
  if (index >= graph->region_count || graph->region_count == 1) return false;
  quant_parts_t parts = quant_parts_take(graph, arena);
  parts.drops_region[index] = true;
  uint32_t outputs = graph->output_count;
  const quant_region_t *region = &graph->regions[index];
  for (uint32_t p = region->input_count; p < quant_port_count(region); p++) {
    uint32_t value = region->ports[p].value;
    if (!parts.is_output[value] || outputs == 1) continue;
    parts.is_output[value] = false;
    outputs--;
  }
  if (graph->call_count == 0) quant_parts_prune(&parts, arena);
  return build(&parts, from, arena, out_case);
}

static bool drop_output(const quant_fuzz_case_t *from, uint32_t index, arena_t *arena,
                        quant_fuzz_case_t *out_case) {
  if (index >= from->graph.output_count || from->graph.output_count == 1) return false;
  quant_parts_t parts = quant_parts_take(&from->graph, arena);
  parts.is_output[from->graph.outputs[index]] = false;
  return build(&parts, from, arena, out_case);
}

static bool open_value(const quant_fuzz_case_t *from, uint32_t index, arena_t *arena,
                       quant_fuzz_case_t *out_case) {
  if (index >= from->graph.value_count) return false;
  if (from->graph.values[index].spec.kind == QUANT_SPEC_OPEN) return false;
  quant_parts_t parts = quant_parts_take(&from->graph, arena);
  parts.values[index].spec = (quant_spec_t){.kind = QUANT_SPEC_OPEN};
  return build(&parts, from, arena, out_case);
}

static bool open_port(const quant_fuzz_case_t *from, uint32_t index, arena_t *arena,
                      quant_fuzz_case_t *out_case) {
  uint32_t r = index / QUANT_PORTS_MAX, p = index % QUANT_PORTS_MAX;
  if (r >= from->graph.region_count || p >= quant_port_count(&from->graph.regions[r])) return false;
  if (from->graph.regions[r].ports[p].spec.kind == QUANT_SPEC_OPEN) return false;
  quant_parts_t parts = quant_parts_take(&from->graph, arena);
  parts.ports[r][p].spec = (quant_spec_t){.kind = QUANT_SPEC_OPEN};
  return build(&parts, from, arena, out_case);
}

static bool drop_row(const quant_fuzz_case_t *from, uint32_t index, arena_t *arena,
                     quant_fuzz_case_t *out_case) {
  uint32_t count = from->table.row_count;
  if (index >= count) return false;
  quant_target_row_t *rows = ARENA_NEW_ARRAY(arena, quant_target_row_t, count);
  for (uint32_t i = 0, next = 0; i < count; i++) {
    if (i != index) rows[next++] = from->table.rows[i];
  }
  *out_case = *from;
  out_case->table.rows = rows;
  out_case->table.row_count = count - 1;
  out_case->table.pattern_count = 0; /* They need the rows of their kernels. */
  return true;
}

static bool drop_rule(const quant_fuzz_case_t *from, uint32_t index, arena_t *arena,
                      quant_fuzz_case_t *out_case) {
  uint32_t row = index / QUANT_RULES_MAX, rule = index % QUANT_RULES_MAX;
  uint32_t count = from->table.row_count;
  if (row >= count || rule >= from->table.rows[row].rule_count) return false;
  quant_target_row_t *rows = ARENA_NEW_ARRAY(arena, quant_target_row_t, count);
  for (uint32_t i = 0; i < count; i++) rows[i] = from->table.rows[i];
  quant_rule_use_t *rules = ARENA_NEW_ARRAY(arena, quant_rule_use_t, rows[row].rule_count);
  for (uint32_t i = 0, next = 0; i < rows[row].rule_count; i++) {
    if (i != rule) rules[next++] = rows[row].rules[i];
  }
  rows[row].rules = rules;
  rows[row].rule_count--;
  *out_case = *from;
  out_case->table.rows = rows;
  return true;
}

/* More than the items that `step` can have in this case. */
static uint32_t items_end(const quant_fuzz_case_t *from) {
  uint32_t end = from->graph.value_count + from->graph.region_count * QUANT_PORTS_MAX;
  uint32_t rules = from->table.row_count * QUANT_RULES_MAX;
  return end > rules ? end : rules;
}

static bool is_violated(const quant_fuzz_case_t *tried, arena_t *arena) {
  failure_t words;
  const quant_trial_input_t input = quant_fuzz_input(tried);
  return quant_property_check_one(&input, tried->property, arena, &words) == QUANT_VIOLATED;
}

quant_fuzz_case_t quant_fuzz_shrink(const quant_fuzz_case_t *found, arena_t *arena) {
  static shrink_step_t *const STEPS[] = {drop_calls, drop_region, drop_output, open_value,
                                         open_port,  drop_row,    drop_rule};
  quant_fuzz_case_t smallest = *found;
  bool has_changed = true;
  while (has_changed) { /* Each change leaves something out, so this ends. */
    has_changed = false;
    for (size_t s = 0; s < G_N_ELEMENTS(STEPS); s++) {
      /* From the last item on, so that those not yet tried keep their numbers. */
      for (uint32_t index = items_end(&smallest); index-- > 0;) {
        arena_mark_t mark = arena_mark(arena);
        quant_fuzz_case_t tried;
        if (STEPS[s](&smallest, index, arena, &tried) && is_violated(&tried, arena)) {
          smallest = tried;
          has_changed = true;
        } else {
          arena_rewind(arena, mark);
        }
      }
    }
  }
  return smallest;
}

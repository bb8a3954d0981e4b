/* SPDX-License-Identifier: Apache-2.0 */
/* The greedy choice of what becomes a region: fuse.md, "Order". */
#include <string.h>

#include "harness/quant/fuse/state.h"
#include "harness/quant/graph/unique_name.h"

/* ---- What is known of ops -------------------------------------------------------------------- */

/* Whether an op in no region is made of constants alone; in order, so that those before are known.
 */
static bool is_of_constants(const quant_graph_t *graph, const quant_op_fate_t *fates,
                            const quant_region_t *region) {
  if (!region->is_op || region->input_count == 0) return false;
  for (uint32_t port = 0; port < region->input_count; port++) {
    const quant_value_t *value = &graph->values[region->ports[port].value];
    bool is_constant = value->constant != NULL ||
                       (value->producer != QUANT_NONE && fates[value->producer].is_constant);
    if (!is_constant) return false;
  }
  return true;
}

static void note_miss(const fuser_t *fuser, uint32_t root, const variant_t *variant,
                      const miss_t *miss, uint32_t *progress) {
  quant_op_fate_t *fate = &fuser->fates[root];
  bool is_blocked = miss->progress > variant->size;
  bool is_closer = fate->reason == NULL || miss->progress > progress[root];
  if (!is_closer && (!is_blocked || fate->blocked != NULL)) return;
  g_autofree char *text = g_strdup_printf("%s (pattern of line %u): %s", variant->pattern->kernel,
                                          variant->pattern->line, miss->text);
  const char *kept = arena_copy_text(fuser->arena, text, strlen(text));
  if (is_blocked && fate->blocked == NULL) fate->blocked = kept;
  if (!is_closer) return;
  fate->reason = kept;
  progress[root] = miss->progress;
}

/* ---- The choice ------------------------------------------------------------------------------ */

typedef struct chooser {
  fuser_t fuser;
  const uint32_t *order; /* Ops and regions in the order in which they are tried. */
  uint32_t *progress;    /* By region: of the miss that `reason` is of. */
  GHashTable *names;     /* Of regions. */
  GArray *matches;       /* quant_match_t */
} chooser_t;

static void take(chooser_t *chooser, quant_match_t *match) {
  const quant_region_t *root = &chooser->fuser.graph->regions[match->root];
  const char *local = local_name(root->name);
  g_autofree char *head = g_strndup(root->name, (size_t)(local - root->name));
  match->region =
      unique_name(chooser->names, head, local, "", QUANT_NAME_BYTES_MAX, chooser->fuser.arena);
  for (uint32_t i = 0; i < match->op_count; i++) {
    quant_op_fate_t *fate = &chooser->fuser.fates[match->ops[i]];
    if (fate->is_constant) {
      fate->is_copied = true;
    } else {
      fate->match = (int32_t)chooser->matches->len;
    }
  }
  g_array_append_vals(chooser->matches, match, 1);
}

/* Everything that one variant takes, from the inputs on. */
static void try_variant(chooser_t *chooser, const variant_t *variant) {
  const quant_graph_t *graph = chooser->fuser.graph;
  const struct op *wanted = variant->pattern->lines[variant->root].op;
  for (uint32_t i = 0; i < graph->region_count; i++) {
    uint32_t root = chooser->order[i];
    const quant_region_t *region = &graph->regions[root];
    const quant_op_fate_t *fate = &chooser->fuser.fates[root];
    if (!region->is_op || fate->match != QUANT_NONE || fate->is_constant) continue;
    if (region->ops[0].program.op != wanted) continue;
    quant_match_t match;
    miss_t miss;
    if (match_at(&chooser->fuser, variant, root, &match, &miss)) {
      take(chooser, &match);
    } else {
      note_miss(&chooser->fuser, root, variant, &miss, chooser->progress);
    }
  }
}

static void choose(chooser_t *chooser) {
  uint32_t count;
  fuser_t *fuser = &chooser->fuser;
  const variant_t *variants = variants_of(fuser->table, fuser->arena, &count);
  for (uint32_t i = 0; i < count; i++) {
    bool is_reversed = fuser->fault == QUANT_FUSE_FAULT_smallest_first;
    try_variant(chooser, &variants[is_reversed ? count - 1 - i : i]);
  }
}

static void begin(chooser_t *chooser, const quant_graph_t *graph, arena_t *arena) {
  const uint32_t *order = quant_graph_order(graph, arena);
  uint32_t *ranks = ARENA_NEW_ARRAY(arena, uint32_t, graph->region_count + 1);
  uint32_t *declared = ARENA_NEW_ARRAY(arena, uint32_t, graph->region_count + 1);
  for (uint32_t i = 0; i < graph->region_count; i++) {
    ranks[order[i]] = i;
    declared[i] = i;
  }
  chooser->fuser.ranks = ranks;
  chooser->order = chooser->fuser.fault == QUANT_FUSE_FAULT_declaration_order ? declared : order;
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_region_t *region = &graph->regions[order[i]];
    quant_op_fate_t *fate = &chooser->fuser.fates[order[i]];
    *fate = (quant_op_fate_t){.match = QUANT_NONE};
    fate->is_constant = is_of_constants(graph, chooser->fuser.fates, region);
    if (!region->is_op) unique_names_take(chooser->names, region->name);
  }
}

status_t quant_fuse(const quant_graph_t *graph, const quant_target_t *table,
                    quant_fuse_fault_t fault, arena_t *arena, quant_fusion_t *out_fusion,
                    failure_t *error) {
  quant_op_fate_t *fates = ARENA_NEW_ARRAY(arena, quant_op_fate_t, graph->region_count + 1);
  chooser_t chooser = {
      .fuser = {.graph = graph, .table = table, .fault = fault, .arena = arena, .fates = fates},
      .progress = arena_alloc_zeroed(arena, (graph->region_count + 1) * sizeof(uint32_t)),
      .names = unique_names_begin(),
      .matches = g_array_new(FALSE, FALSE, sizeof(quant_match_t))};
  begin(&chooser, graph, arena);
  choose(&chooser);
  uint32_t count = chooser.matches->len;
  quant_match_t *matches = ARENA_NEW_ARRAY(arena, quant_match_t, count + 1);
  if (count > 0) memcpy(matches, chooser.matches->data, count * sizeof matches[0]);
  g_array_free(chooser.matches, TRUE);
  g_hash_table_destroy(chooser.names);
  *out_fusion = (quant_fusion_t){
      .graph = graph, .table = table, .match_count = count, .matches = matches, .fates = fates};
  return fuse_build(&chooser.fuser, matches, count, &out_fusion->fused, error);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The property of kernel fusion (harness/quant/fuse/fuse.md): the graph, taken apart into ops in no
 * region, is fused by the table's patterns. */
#include "harness/quant/check/parts.h"
#include "harness/quant/graph/rebuild.h"

/* Fuses what was fused, and the plain model declared in another order. */
static quant_outcome_t check_again(const quant_trial_t *trial, const quant_graph_t *plain,
                                   const quant_fusion_t *fusion, arena_t *arena,
                                   failure_t *out_words) {
  quant_fusion_t again;
  quant_fuse_fault_t fault = trial->fuse_fault;
  if (quant_fuse(&fusion->fused, trial->table, fault, arena, &again, out_words) != STATUS_OK) {
    return QUANT_VIOLATED;
  }
  if (again.match_count > 0 || !quant_graph_equal(&again.fused, &fusion->fused)) {
    return property_violated(out_words, "fused again it is another graph");
  }
  rng_t rng = rng_make(trial->seed);
  quant_parts_t parts = quant_parts_take(plain, arena);
  quant_parts_shuffle(&parts, &rng);
  quant_graph_t shuffled;
  if (quant_parts_build(&parts, arena, &shuffled, NULL, NULL, out_words) != STATUS_OK ||
      quant_fuse(&shuffled, trial->table, fault, arena, &again, out_words) != STATUS_OK) {
    return QUANT_VIOLATED;
  }
  if (quant_graph_equal(&again.fused, &fusion->fused)) return QUANT_HOLDS;
  return property_violated(out_words, "fused in another order of declaration it is another graph");
}

quant_outcome_t quant_property_fusing(const quant_trial_t *trial, arena_t *arena,
                                      failure_t *out_words) {
  quant_graph_t plain, apart;
  quant_fusion_t fusion;
  if (trial->table->pattern_count == 0) return QUANT_NOT_APPLICABLE;
  g_autoptr(GString) notes = g_string_new(NULL);
  if (quant_unfuse(trial->graph, NULL, arena, &plain, notes, out_words) != STATUS_OK ||
      quant_fuse(&plain, trial->table, trial->fuse_fault, arena, &fusion, out_words) != STATUS_OK ||
      quant_unfuse(&fusion.fused, NULL, arena, &apart, notes, out_words) != STATUS_OK) {
    return QUANT_VIOLATED;
  }
  if (fusion.match_count == 0) return QUANT_NOT_APPLICABLE;
  if (!quant_graph_equal(&plain, &apart)) {
    return property_violated(out_words, "fused and taken apart it is another graph");
  }
  return check_again(trial, &plain, &fusion, arena, out_words);
}

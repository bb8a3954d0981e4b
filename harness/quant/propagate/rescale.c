/* SPDX-License-Identifier: Apache-2.0 */
/* Hash set of rescales by value, call and parameters, so that ports with equal needs share one
 * rescale. */
#include "harness/base/hash.h"
#include "harness/quant/propagate/state.h"

/* GLib's own hashes of 64-bit numbers look at half of them, in which scales seldom differ. */
static guint hash_rescale(gconstpointer key) {
  const quant_rescale_t *rescale = key;
  const quantization_t *uniform = rescale->spec->uniform;
  const digest_t scales = digest_of(uniform->scales, uniform->count * sizeof *uniform->scales);
  return (guint)scales.low + rescale->value * 31 + (guint)rescale->call;
}

static gboolean is_same_rescale(gconstpointer a, gconstpointer b) {
  const quant_rescale_t *left = a, *right = b;
  return left->value == right->value && left->call == right->call &&
         quant_spec_equal(left->spec, right->spec);
}

GHashTable *quant_rescales_begin(void) { return g_hash_table_new(hash_rescale, is_same_rescale); }

quant_rescale_t *quant_rescale_shared(GHashTable *rescales, uint32_t value, int32_t call,
                                      const quant_spec_t *spec, arena_t *arena, bool *out_is_new) {
  const quant_rescale_t wanted = {.value = value, .call = call, .spec = spec};
  quant_rescale_t *known = g_hash_table_lookup(rescales, &wanted);
  *out_is_new = known == NULL;
  if (known != NULL) return known;
  quant_rescale_t *rescale = ARENA_NEW_ARRAY(arena, quant_rescale_t, 1);
  *rescale = wanted;
  g_hash_table_add(rescales, rescale);
  return rescale;
}

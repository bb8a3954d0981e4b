#include "harness/quant/propagate_parts.h"

quant_rescale_t *quant_rescale_shared(quant_rescale_t **inout_list, int32_t call,
                                      const quant_spec_t *spec, arena_t *arena, bool *out_is_new) {
  quant_rescale_t **last = inout_list;
  *out_is_new = false;
  for (; *last != NULL; last = &(*last)->next) {
    if ((*last)->call == call && quant_spec_equal((*last)->spec, spec)) return *last;
  }
  *last = ARENA_NEW_ARRAY(arena, quant_rescale_t, 1);
  **last = (quant_rescale_t){.call = call, .spec = spec};
  *out_is_new = true;
  return *last;
}

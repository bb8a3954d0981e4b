#include "oracles/exact/quick_sums.h"

#include <math.h>
#include <string.h>

#include "oracles/exact/enclosure_round.h"

accept_t accept_ask_all(size_t count, arena_t *arena) {
  uint8_t *ask = arena_alloc(arena, count);
  memset(ask, 1, count);
  return (accept_t){.count = count, .ask = ask};
}

/* Where a partial sum, errors included, may come near the largest number, overflow has its say, and
 * the careful side decides. */
static void ask_near_overflow(const accept_t *accept, const format_t *format,
                              const error_bound_t *bound, uint8_t *ask) {
  double limit = format_to_double(format, format->largest_bits) * (1 - 0x1p-8);
  double factor = 1 + bound->total_factor;
  for (size_t i = 0; i < accept->count; i++) {
    ask[i] |= !(accept->magnitude[i] * factor + bound->offset < limit);
  }
}

static const double *forget_unknown(const double *reference, const uint8_t *ask, size_t count,
                                    arena_t *arena) {
  if (memchr(ask, 1, count) == NULL) return reference;
  double *known = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) known[i] = ask[i] != 0 ? NAN : reference[i];
  return known;
}

void quick_sums_finish(accept_t *inout_accept, const format_t *format, const contract_t *contract,
                       bound_shape_t shape, bool ask_all, uint8_t *inout_ask, arena_t *arena) {
  contract_t strict = *contract; /* Flushing only adds permissions: the careful side grants them. */
  strict.ftz = FTZ_NONE;
  error_bound_t bound = error_bound_sum(format, &strict, shape);
  size_t count = inout_accept->count;
  ask_near_overflow(inout_accept, format, &bound, inout_ask);
  inout_accept->reference = forget_unknown(inout_accept->reference, inout_ask, count, arena);
  inout_accept->bound_factor = bound.total_factor;
  inout_accept->bound_offset = bound.offset;
  inout_accept->unit_roundoff = format_unit_roundoff(format);
  inout_accept->ask = inout_ask;
  if (ask_all) {
    memset(inout_ask, 1, count);
    return;
  }
  double *low = ARENA_NEW_ARRAY(arena, double, count);
  double *high = ARENA_NEW_ARRAY(arena, double, count);
  enclosure_t enclosure = {
      .count = count,
      .reference = inout_accept->reference,
      .reference_tail = inout_accept->reference_tail,
      .magnitude = inout_accept->magnitude,
      .factor = bound.factor,
      .offset = bound.offset,
      .format = format,
      .ends = ENCLOSURE_NEAREST,
      .side = ENCLOSURE_INSIDE, /* The quick side may only be too small. */
  };
  enclosure_round_ends(&enclosure, low, high);
  inout_accept->low = low;
  inout_accept->high = high;
}

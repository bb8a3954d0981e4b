#include "oracles/exact/enclosure_round.h"

#include "oracles/exact/exact_kernels.h"

void enclosure_round_ends(const enclosure_t *enclosure, double *low, double *high) {
  exact_kernels_best()->round_ends(enclosure, low, high);
}

void enclosure_round(const format_t *format, const accept_t *accept, double factor, double offset,
                     double *low, double *high) {
  enclosure_t enclosure = {.count = accept->count,
                           .reference = accept->reference,
                           .reference_tail = accept->reference_tail,
                           .magnitude = accept->magnitude,
                           .factor = factor,
                           .offset = offset,
                           .format = format,
                           .ends = ENCLOSURE_NEAREST,
                           .side = ENCLOSURE_OUTSIDE};
  enclosure_round_ends(&enclosure, low, high);
}

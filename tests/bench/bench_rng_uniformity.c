/* SPDX-License-Identifier: Apache-2.0 */
/* How often the checks of uniformity (byteir_rng/uniformity.h) find good generators improbable: no
 * result of them may be refuted, and the share with which a check finds 2^-b must be at most that.
 *
 *   bench_rng_uniformity [RESULTS [NUMBERS [SEED]]] > tables */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/bench_timing.h"
#include "tests/ops/byteir_rng/rng_campaign.h"

static size_t argument(int argc, char **argv, int index, size_t otherwise) {
  return argc > index ? (size_t)strtoull(argv[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
  static const char *const names[BYTEIR_RNG_CHECK_COUNT] = {"distribution", "repeats", "bits",
                                                            "pairs", "runs"};
  static const int columns[] = {1, 2, 4, 6, 8, 12, 16, 20};
  size_t results = argument(argc, argv, 1, 1000000);
  campaign_t campaign;
  campaign_init(&campaign, argument(argc, argv, 3, 1));
  double start = microseconds();
  campaign_run(&campaign, results, argument(argc, argv, 2, 4096));
  double seconds = (microseconds() - start) * 1e-6;
  printf("%zu results, %zu numbers, %.0f s: %zu refuted\n\n", campaign.results, campaign.numbers,
         seconds, campaign.refuted);
  printf("results of which a check finds what has probability 2^-b\n%-13s", "b");
  for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) printf("%9d", columns[i]);
  printf("     most\n%-13s", "at most");
  for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
    printf("%9.0f", (double)results * ldexp(1, -columns[i]));
  }
  printf("\n");
  for (int check = 0; check < BYTEIR_RNG_CHECK_COUNT; check++) {
    printf("%-13s", names[check]);
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
      printf("%9zu", campaign.counts[check][columns[i]]);
    }
    printf("%9.1f\n", campaign.most[check]);
  }
  arena_deinit(&campaign.arena);
  return campaign.refuted == 0 ? 0 : 1;
}

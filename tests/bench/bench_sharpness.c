/* SPDX-License-Identifier: Apache-2.0 */
/* How sharp accept sets of composite ops are at real sizes, on rows of n numbers of N(0, 1): the
 * largest k for which all exact results, times 1 + k n u, would conform, by op, type and n; for
 * 16-bit types instead by how many ulps all may be off.  A z or d beside it: zeros, or the results
 * doubled, would conform too.
 *
 *   bench_sharpness [LARGEST [CONTRACT]] > table */
#include <stdio.h>
#include <stdlib.h>

#include "tests/formula/common_factor.h"

static const char *const types[] = {"f32", "f64", "bf16", "f16"};
static const size_t counts[] = {64, 768, 4096, 16384, 131072};

static void print_row(const common_factor_op_t *op, const char *type, size_t largest,
                      const contract_t *contract) {
  printf("%-20s %-5s", op->name, type);
  for (size_t i = 0; i < G_N_ELEMENTS(counts) && counts[i] <= largest; i++) {
    arena_t arena;
    arena_init(&arena);
    const case_t instance = common_factor_case(op, type, counts[i], &arena);
    common_factor_t found = find_common_factor(op, &instance, contract, &arena);
    bool is_short = instance.program.operands[0].element->bits == 16;
    printf(" %8.3g%s%s", is_short ? found.ulps : found.largest, found.holds_zeros ? "z" : "",
           found.holds_doubles ? "d" : "");
    fflush(stdout);
    arena_deinit(&arena);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  long largest = argc > 1 ? strtol(argv[1], NULL, 10) : 16384;
  contract_t contract = contract_backend();
  failure_t error = {0};
  if (largest < 1 ||
      (argc > 2 && contract_parse(str_from(argv[2]), &contract, &error) != STATUS_OK)) {
    fprintf(stderr, "usage: bench_sharpness [LARGEST [CONTRACT]]\n%s\n", error.text);
    return 2;
  }
  printf("%-20s %-5s", "op", "type");
  for (size_t i = 0; i < G_N_ELEMENTS(counts) && counts[i] <= (size_t)largest; i++) {
    printf(" %8zu", counts[i]);
  }
  printf("\n");
  for (size_t op = 0; op < G_N_ELEMENTS(common_factor_ops); op++) {
    for (size_t t = 0; t < G_N_ELEMENTS(types); t++) {
      print_row(&common_factor_ops[op], types[t], (size_t)largest, &contract);
    }
  }
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Maxima and minima of quantized integers against all trees (theory.md, T299): a node picks one of
 * two storage values, or quantizes the larger of the numbers that they stand for; in bf16, which
 * has fewer bits than the storage type, that is another one.  Nothing else conforms. */
#include <math.h>

#include "tests/ops/module/module_asking.h"

enum { MOST = 1047, LEAVES = 3, SIDE = 2 * MOST + 1 };

/* Of a type of i32<-MOST:MOST>, expressed in bf16. */
typedef struct bf16_quantum {
  double scale;
  int zero_point;
} bf16_quantum_t;

static double round_bf16(double value) {
  return format_round_double(element_named("bf16")->format, value);
}

static double dequantize(const bf16_quantum_t *quantum, int stored) {
  return round_bf16(round_bf16(stored - quantum->zero_point) * quantum->scale);
}

static int quantize(const bf16_quantum_t *quantum, double value) {
  double sum = round_bf16(round_bf16(value / quantum->scale) + round_bf16(quantum->zero_point));
  return (int)nearbyint(fmin(fmax(sum, -MOST), MOST));
}

/* What nodes give of two sets. */
static void combine(const bf16_quantum_t *quantum, bool largest, const bool a[SIDE],
                    const bool b[SIDE], bool inout_all[SIDE]) {
  for (int i = 0; i < SIDE; i++) {
    for (int k = 0; k < SIDE && a[i]; k++) {
      if (!b[k]) continue;
      int picked = largest ? MAX(i, k) : MIN(i, k);
      double x = dequantize(quantum, i - MOST), y = dequantize(quantum, k - MOST);
      inout_all[picked] = true;
      inout_all[quantize(quantum, largest ? fmax(x, y) : fmin(x, y)) + MOST] = true;
    }
  }
}

static void reach(const bf16_quantum_t *quantum, bool largest, const int leaves[LEAVES],
                  bool out_all[SIDE]) {
  memset(out_all, 0, SIDE * sizeof(bool));
  for (int last = 0; last < LEAVES; last++) {
    bool one[LEAVES][SIDE] = {{false}}, both[SIDE] = {false};
    for (int i = 0; i < LEAVES; i++) one[i][leaves[i] + MOST] = true;
    combine(quantum, largest, one[(last + 1) % LEAVES], one[(last + 2) % LEAVES], both);
    combine(quantum, largest, both, one[last], out_all);
  }
}

static unsigned check(rng_t *rng, bool largest, unsigned *inout_reached) {
  static const char *const scales[] = {"0x1p+0", "0x1.9ap-4", "0x1.54p-7"};
  const char *scale = scales[rng_below(rng, 3)];
  bf16_quantum_t quantum = {.scale = strtod(scale, NULL),
                            .zero_point = (int)rng_between(rng, 1, MOST)};
  g_autofree char *type = g_strdup_printf("!quant.uniform<i32<-%d:%d>:bf16,%s:%d>", MOST, MOST,
                                          scale, quantum.zero_point);
  g_autofree char *line = g_strdup_printf("stablehlo.reduce body=%s dims=[0] %s[2] %s[] -> %s[]",
                                          largest ? "maximum" : "minimum", type, type, type);
  asking_t asking;
  ask_begin(&asking, line, "spec,init_count=1");
  int leaves[LEAVES], near = (int)rng_between(rng, -MOST / 2, MOST / 2);
  for (uint32_t i = 0; i < LEAVES; i++) {
    leaves[i] = near + (int)rng_between(rng, -9, 9);
    set_operand(&asking, i / 2, i % 2, (uint32_t)leaves[i]);
  }
  bool reached[SIDE];
  reach(&quantum, largest, leaves, reached);
  unsigned accepted = 0;
  for (int i = 0; i < SIDE; i++) {
    bool conforms = ask(&asking, 0, (uint32_t)(i - MOST)).conforms;
    if (reached[i] && !conforms) g_error("%s: %d of all trees does not conform", line, i - MOST);
    accepted += conforms;
    *inout_reached += reached[i];
  }
  ask_end(&asking);
  return accepted;
}

static void test_all_trees(void) {
  rng_t rng = rng_make(1);
  unsigned reached = 0, accepted = 0;
  for (int i = 0; i < 100; i++) accepted += check(&rng, i % 2 == 0, &reached);
  g_test_message("%u are reached, %u accepted", reached, accepted);
  g_assert_cmpuint(reached, >, 100);
  g_assert_cmpuint(accepted, ==, reached);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quantized-pick/all-trees", test_all_trees);
  return g_test_run();
}

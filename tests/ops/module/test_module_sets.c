/* SPDX-License-Identifier: Apache-2.0 */
/* What modules of floats permit, by hand: special values and signs of zeros where the last step
 * that is open has known operands (theory.md, T217 and T218), places of elements that are moved,
 * one value used twice (T219), excess precision (T175), and what nothing is known of. */
#include <math.h>

#include "tests/ops/module/module_asking.h"

/* Of a result of f32, the only pattern of these that is permitted. */
static void require_only(const char *line, const char *contract, const uint64_t operands[2],
                         uint64_t right) {
  static const uint64_t patterns[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000,
                                      0x7f800000, 0xff800000, 0x7fc00000};
  asking_t asking;
  ask_begin(&asking, line, contract);
  for (uint32_t i = 0; i < asking.instance.program.operand_count; i++) {
    set_operand(&asking, i, 0, operands[i]);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++) {
    bool is_permitted = ask(&asking, 0, patterns[i]).conforms;
    if (is_permitted != (patterns[i] == right)) {
      g_error("%s under %s: %08x", line, contract, (unsigned)patterns[i]);
    }
  }
  ask_end(&asking);
}

/* ---- Special values -------------------------------------------------------------------------- */

#define ADD "v0=stablehlo.add(a0,a1) f32[1] f32[1] -> f32[1];"
#define SUM                                                                \
  "module steps={" ADD                                                     \
  "v1=stablehlo.reshape(v0) f32[1] -> f32[];return(v1)} f32[1] f32[1] -> " \
  "f32[]"
#define RELU                                                                              \
  "module steps={v0=constant(f32[],00000000);v1=stablehlo.maximum(a0,v0) f32[] f32[] -> " \
  "f32[];v2=stablehlo.negate(v1) f32[] -> f32[];return(v2)} f32[] -> f32[]"
#define RELU_SUM                                                                          \
  "module steps={v0=constant(f32[],00000000);v1=stablehlo.maximum(v0,a0) f32[] f32[] -> " \
  "f32[];v2=stablehlo.negate(v1) f32[] -> f32[];v3=stablehlo.add(v2,a1) f32[] f32[] -> "  \
  "f32[];return(v3)} f32[] f32[] -> f32[]"

static void test_specials(void) {
  static const struct {
    const char *line;
    uint64_t operands[2], right;
  } rows[] = {
      {SUM, {0x7f800000, 0xff800000}, 0x7fc00000},      /* inf - inf */
      {SUM, {0x7f800000, 0x3f800000}, 0x7f800000},      /* inf + 1 */
      {SUM, {0x80000000, 0x80000000}, 0x80000000},      /* -0 - 0 */
      {SUM, {0x3f800000, 0xbf800000}, 0x00000000},      /* 1 - 1 */
      {RELU, {0xbf800000, 0}, 0x80000000},              /* -max(-1, 0) */
      {RELU, {0x7fc00000, 0}, 0x7fc00000},              /* -max(NaN, 0) */
      {RELU, {0xff800000, 0}, 0x80000000},              /* -max(-inf, 0) */
      {RELU, {0x7f800000, 0}, 0xff800000},              /* -max(inf, 0) */
      {RELU_SUM, {0xbf800000, 0x80000000}, 0x80000000}, /* -max(-1, 0) - 0 */
      {RELU_SUM, {0xbf800000, 0x3f800000}, 0x3f800000}, /* -max(-1, 0) + 1 */
      {RELU_SUM, {0x7fc00000, 0x3f800000}, 0x7fc00000}, /* -max(NaN, 0) + 1 */
      {RELU_SUM, {0x7f800000, 0x7f800000}, 0x7fc00000}, /* -max(inf, 0) + inf */
  };
  static const char *const contracts[] = {"spec", "backend", "backend,intermediates=wider"};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    for (size_t k = 0; k < G_N_ELEMENTS(contracts); k++) {
      require_only(rows[i].line, contracts[k], rows[i].operands, rows[i].right);
    }
  }
}

/* What may be flushed is not known: both zeros and the number conform. */
static void test_flushed(void) {
  asking_t asking;
  ask_begin(&asking,
            "module steps={v0=stablehlo.negate(a0) f32[] -> f32[];v1=stablehlo.negate(v0) f32[] -> "
            "f32[];return(v1)} f32[] -> f32[]",
            "spec,ftz=both");
  set_operand(&asking, 0, 0, 0x00000001);
  g_assert_true(ask(&asking, 0, 0x00000001).conforms);
  g_assert_true(ask(&asking, 0, 0x00000000).conforms);
  g_assert_false(ask(&asking, 0, 0x00000002).conforms);
  ask_end(&asking);
}

/* Patterns of operands, and of results that are asked about; each two are a pair of operands. */
static const uint64_t alike_numbers[] = {0x00000000, 0x80000000, 0x00000001, 0x3f800000,
                                         0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000};
enum { NUMBERS = G_N_ELEMENTS(alike_numbers), PAIRS = NUMBERS * NUMBERS };

/* Which of the numbers the last of some pairs permits, a bit for each, as an op makes it and
 * another one negates that. */
static uint32_t permitted_of_last(const char *op, const char *contract, const size_t *pairs,
                                  size_t count) {
  g_autofree char *type = g_strdup_printf("f32[%zu]", count);
  g_autofree char *line = g_strdup_printf(
      "module steps={v0=stablehlo.%s(a0,a1) %s %s -> %s;v1=stablehlo.negate(v0) %s -> %s;"
      "return(v1)} %s %s -> %s",
      op, type, type, type, type, type, type, type, type);
  asking_t asking;
  ask_begin(&asking, line, contract);
  for (size_t i = 0; i < count; i++) {
    set_operand(&asking, 0, i, alike_numbers[pairs[i] / NUMBERS]);
    set_operand(&asking, 1, i, alike_numbers[pairs[i] % NUMBERS]);
  }
  uint32_t permitted = 0;
  for (size_t n = 0; n < NUMBERS; n++) {
    permitted |= (uint32_t)ask(&asking, count - 1, alike_numbers[n]).conforms << n;
  }
  ask_end(&asking);
  return permitted;
}

/* Whether an element is one value is asked once of elements that are alike.  Beside any other pair
 * of operands a pair permits what it permits alone, or more: all elements are known, or none. */
static void test_alike(void) {
  static const char *const ops[] = {"maximum", "minimum", "add", "multiply"};
  static const char *const contracts[] = {"spec", "backend", "backend,ftz=both"};
  for (size_t k = 0; k < G_N_ELEMENTS(ops) * G_N_ELEMENTS(contracts); k++) {
    const char *op = ops[k % G_N_ELEMENTS(ops)], *contract = contracts[k / G_N_ELEMENTS(ops)];
    unsigned same = 0;
    for (size_t pair = 0; pair < PAIRS; pair++) {
      uint32_t alone = permitted_of_last(op, contract, &pair, 1);
      for (size_t other = 0; other < PAIRS; other++) {
        const size_t both[] = {other, pair};
        uint32_t beside = permitted_of_last(op, contract, both, 2);
        if ((alone & ~beside) != 0) {
          g_error("%s under %s: pair %zu beside %zu is held to less", op, contract, pair, other);
        }
        same += alone == beside;
      }
    }
    g_assert_cmpuint(same, >, PAIRS * PAIRS / 2);
  }
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* Element [i, j] of the result is that at [j, i] of the sum. */
static void test_places(void) {
  asking_t asking;
  ask_begin(
      &asking,
      "module steps={v0=stablehlo.add(a0,a0) f32[2,3] f32[2,3] -> f32[2,3];v1=stablehlo."
      "transpose(v0) permutation=[1,0] f32[2,3] -> f32[3,2];v2=stablehlo.broadcast_in_dim(v1) "
      "broadcast_dimensions=[1,2] f32[3,2] -> f32[2,3,2];return(v2)} f32[2,3] -> f32[2,3,2]",
      "backend");
  const format_t *format = element_named("f32")->format;
  for (size_t i = 0; i < 6; i++) {
    set_operand(&asking, 0, i, format_from_double(format, (double)i + 1));
  }
  for (size_t i = 0; i < 12; i++) {
    size_t row = i % 6 / 2, column = i % 2, source = column * 3 + row;
    for (size_t other = 0; other < 6; other++) {
      uint64_t bits = format_from_double(format, 2 * ((double)other + 1));
      g_assert_true(ask(&asking, i, bits).conforms == (other == source));
    }
  }
  ask_end(&asking);
}

/* ---- Roundings ------------------------------------------------------------------------------- */

/* The sum of 2^24, 1, 1 is any of three numbers, by its order; less itself it is 0 where it is
 * stored, and where it may be wider it may not be. */
static void test_used_twice(void) {
  static const char line[] =
      "module steps={v0=constant(f32[],00000000);v1=stablehlo.reduce(a0,v0) body=add dims=[0] "
      "f32[3] f32[] -> f32[];v2=stablehlo.subtract(v1,v1) f32[] f32[] -> f32[];return(v2)} f32[3] "
      "-> "
      "f32[]";
  static const char *const contracts[] = {"backend,intermediates=rounded", "backend"};
  for (int i = 0; i < 2; i++) {
    asking_t asking;
    ask_begin(&asking, line, contracts[i]);
    set_operand(&asking, 0, 0, 0x4b800000);
    set_operand(&asking, 0, 1, 0x3f800000);
    set_operand(&asking, 0, 2, 0x3f800000);
    g_assert_true(ask(&asking, 0, 0x00000000).conforms);
    g_assert_true(ask(&asking, 0, 0x40000000).conforms == (i == 1));
    g_assert_false(ask(&asking, 0, 0x41000000).conforms);
    ask_end(&asking);
  }
}

/* A square is not below 0, whatever its sum may be. */
static void test_square(void) {
  static const char line[] =
      "module steps={v0=constant(f32[],00000000);v1=stablehlo.reduce(a0,v0) body=add dims=[0] "
      "f32[3] f32[] -> f32[];v2=stablehlo.multiply(v1,v1) f32[] f32[] -> f32[];return(v2)} f32[3] "
      "-> "
      "f32[]";
  asking_t asking;
  ask_begin(&asking, line, "backend,intermediates=rounded,accum_wider=no");
  set_operand(&asking, 0, 0, 0x4b800000); /* 2^24 - 2^24 - 1: -1 or 0. */
  set_operand(&asking, 0, 1, 0xcb800000);
  set_operand(&asking, 0, 2, 0xbf800000);
  g_assert_true(ask(&asking, 0, 0x3f800000).conforms);
  g_assert_false(ask(&asking, 0, 0xbf800000).conforms);
  g_assert_false(ask(&asking, 0, 0xb5800000).conforms);
  ask_end(&asking);
}

/* XLA's excess precision: f32 to bf16 and back may be left out, and sums of bf16 may stay in f32;
 * of 1 + 2^-8 + 2^-8, rounded once or at each sum.  Nothing else conforms. */
static void test_excess_precision(void) {
  static const char pair[] =
      "module steps={v0=stablehlo.convert(a0) f32[] -> bf16[];v1=stablehlo.convert(v0) bf16[] -> "
      "f32[];return(v1)} f32[] -> f32[]";
  static const char sums[] =
      "module steps={v0=stablehlo.add(a0,a1) bf16[] bf16[] -> bf16[];v1=stablehlo.add(v0,a1) "
      "bf16[] bf16[] -> bf16[];return(v1)} bf16[] bf16[] -> bf16[]";
  for (int is_wider = 0; is_wider < 2; is_wider++) {
    const char *contract =
        is_wider ? "backend,intermediates=wider" : "backend,intermediates=rounded";
    asking_t asking;
    ask_begin(&asking, pair, contract);
    set_operand(&asking, 0, 0, 0x3f800001);
    g_assert_true(ask(&asking, 0, 0x3f800000).conforms);
    g_assert_true(ask(&asking, 0, 0x3f800001).conforms == is_wider);
    g_assert_false(ask(&asking, 0, 0x3f830000).conforms);
    ask_end(&asking);
    ask_begin(&asking, sums, contract);
    set_operand(&asking, 0, 0, 0x3f80);
    set_operand(&asking, 1, 0, 0x3b80);
    g_assert_true(ask(&asking, 0, 0x3f80).conforms);
    g_assert_true(ask(&asking, 0, 0x3f81).conforms == is_wider);
    g_assert_false(ask(&asking, 0, 0x3f83).conforms);
    ask_end(&asking);
  }
}

/* What may overflow before the last step may be anything, and is said to be; nothing else is. */
static void test_vacuous(void) {
  asking_t asking;
  ask_begin(
      &asking,
      "module steps={v0=stablehlo.multiply(a0,a0) f32[] f32[] -> f32[];v1=stablehlo.add(v0,a1) "
      "f32[] f32[] -> f32[];return(v1)} f32[] f32[] -> f32[]",
      "backend");
  set_operand(&asking, 0, 0, 0x7f000000);
  set_operand(&asking, 1, 0, 0x3f800000);
  answer_t answer = ask(&asking, 0, 0x3f800000);
  g_assert_true(answer.conforms && answer.is_vacuous);
  ask_end(&asking);
  ask_begin(
      &asking,
      "module steps={v0=stablehlo.multiply(a0,a0) f32[] f32[] -> f32[];v1=stablehlo.add(v0,a1) "
      "f32[] f32[] -> f32[];return(v1)} f32[] f32[] -> f32[]",
      "backend");
  set_operand(&asking, 0, 0, 0x3fc00000);
  set_operand(&asking, 1, 0, 0x3f800000);
  answer = ask(&asking, 0, 0x40500000); /* 1.5 * 1.5 + 1 */
  g_assert_true(answer.conforms && !answer.is_vacuous);
  g_assert_false(ask(&asking, 0, 0x40500001).conforms);
  ask_end(&asking);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/module_sets/specials", test_specials);
  g_test_add_func("/module_sets/flushed", test_flushed);
  g_test_add_func("/module_sets/alike", test_alike);
  g_test_add_func("/module_sets/places", test_places);
  g_test_add_func("/module_sets/used_twice", test_used_twice);
  g_test_add_func("/module_sets/square", test_square);
  g_test_add_func("/module_sets/excess_precision", test_excess_precision);
  g_test_add_func("/module_sets/vacuous", test_vacuous);
  return g_test_run();
}

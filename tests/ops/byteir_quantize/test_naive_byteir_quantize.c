/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.quantize, evaluated naively with rationals: every f16 and bf16 input, and near-ties of all
 * floats.  What an integer may be is known exactly: by division in a format that is rounded once,
 * what the rounded quotient becomes; where nodes may be wider, also what the exact one becomes, and
 * nothing else, since all ways to round a number lie on one side of a tie, or on it. */
#include "generated/byteir_quantize_permissions.h"
#include "generated/exact_permissions.h"
#include "tests/ops/naive_rational.h"
#include "tests/ops/quantize_experiment.h"

/* ---- What is admissible ---------------------------------------------------------------------- */

/* Which integers one element may become. */
typedef struct admissible {
  bool any;
  size_t count;
  int64_t integers[8];
} admissible_t;

static void admit(admissible_t *admissible, int64_t integer) {
  admissible->integers[admissible->count++] = integer;
}

static bool admits(const admissible_t *admissible, int64_t integer) {
  bool is_there = admissible->any;
  for (size_t i = 0; i < admissible->count; i++) {
    is_there = is_there || admissible->integers[i] == integer;
  }
  return is_there;
}

static bool is_one(const admissible_t *admissible) {
  bool is_same = !admissible->any;
  for (size_t i = 0; i < admissible->count; i++) {
    is_same = is_same && admissible->integers[i] == admissible->integers[0];
  }
  return is_same;
}

static int64_t clamp_sum(const mpz_t whole, int64_t zero_point, storage_t storage) {
  if (mpz_cmp_si(whole, 1 << 20) > 0) return storage.largest;
  if (mpz_cmp_si(whole, -(1 << 20)) < 0) return storage.smallest;
  return CLAMP(mpz_get_si(whole) + zero_point, storage.smallest, storage.largest);
}

static void admit_rational(admissible_t *admissible, const contract_t *contract, const mpq_t q,
                           int64_t zero_point, storage_t storage) {
  mpz_t whole;
  mpz_init(whole);
  if (PERMITTED(contract, quantize_ties) != QUANTIZE_TIES_AWAY) {
    rational_round(whole, q, TIES_EVEN);
    admit(admissible, clamp_sum(whole, zero_point, storage));
  }
  if (PERMITTED(contract, quantize_ties) != QUANTIZE_TIES_EVEN) {
    rational_round(whole, q, TIES_AWAY);
    admit(admissible, clamp_sum(whole, zero_point, storage));
  }
  mpz_clear(whole);
}

/* x / s in one format, rounded once or, where that is permitted, not at all. */
static void admit_quotient(admissible_t *admissible, const contract_t *contract,
                           const format_t *format, double x, double s, int64_t zero_point,
                           storage_t storage) {
  mpq_t quotient, scale;
  mpq_inits(quotient, scale, NULL);
  mpq_set_d(quotient, x);
  mpq_set_d(scale, s);
  mpq_div(quotient, quotient, scale);
  bool is_negative = mpq_sgn(quotient) < 0;
  if (PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES) {
    admit_rational(admissible, contract, quotient, zero_point, storage);
  }
  if (rational_round_float(format, quotient)) {
    admit_rational(admissible, contract, quotient, zero_point, storage);
  } else {
    admit(admissible, is_negative ? storage.smallest : storage.largest);
  }
  mpq_clears(quotient, scale, NULL);
}

static admissible_t find_admissible(const contract_t *contract, const format_t *format, double x,
                                    double s, int64_t zero_point, storage_t storage) {
  admissible_t admissible = {.count = 0};
  if (!isfinite(x) || !isfinite(s) || s == 0) {
    double quotient = x / s;
    admissible.any = isnan(quotient);
    if (!admissible.any) {
      int64_t infinite = signbit(quotient) != 0 ? storage.smallest : storage.largest;
      admit(&admissible, isinf(quotient) ? infinite : zero_point);
    }
    return admissible;
  }
  bool is_short = format->bits == 16;
  const format_t *wide = is_short ? &format_table[FORMAT_f32] : format;
  admit_quotient(&admissible, contract, wide, x, s, zero_point, storage);
  if (is_short && PERMITTED(contract, intermediate) != INTERMEDIATE_WIDE) {
    admit_quotient(&admissible, contract, format, x, s, zero_point, storage);
  }
  return admissible;
}

typedef struct tally {
  size_t elements;
  size_t asked;
  size_t several; /* Elements with more than one integer. */
  size_t any;
} tally_t;

static void fail(const experiment_t *experiment, size_t element, const admissible_t *admissible,
                 int64_t integer) {
  const case_t *instance = &experiment->instance;
  GString *text = g_string_new(NULL);
  program_print(&instance->program, text);
  const tensor_t *scale = &instance->operands[QUANTIZE_SCALE];
  size_t channel = type_element_count(&scale->type) == 1 ? 0 : element;
  answer_t answer = question_decide(&experiment->question, 0, element, experiment->results);
  g_error("%s: %a / %a: %" G_GINT64_FORMAT
          " conforms: %d; the oracle expects %s, not %" G_GINT64_FORMAT,
          text->str, load_float(&instance->operands[QUANTIZE_INPUT], element),
          load_float(scale, channel), integer, admits(admissible, integer), answer.expected,
          admissible->integers[0]);
}

/* The oracle holds an element for conforming exactly where it is admissible: looked at for the
 * integers near those that are, and for the ends.  (Nodes that are wider than 16-bit arithmetic may
 * err by 2^-11 of its roundoff, on either side of a tie that it does not hold: then there are
 * more.)
 */
static void check_element(experiment_t *experiment, rng_t *rng, size_t element,
                          const admissible_t *admissible, storage_t storage, tally_t *tally) {
  const element_t *type = experiment->results[0].type.element;
  int64_t first = admissible->integers[0];
  int64_t candidates[] = {first,     first - 1,        first + 1,
                          first + 2, storage.smallest, rng_between(rng, -300, 300)};
  const contract_t *contract = experiment->question.contract;
  bool is_tight = PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO ||
                  PERMITTED(contract, intermediate) == INTERMEDIATE_WIDE;
  bool is_plain = (is_one(admissible) || admissible->any) && !rng_one_in(rng, 16);
  size_t count = is_plain ? 1 : G_N_ELEMENTS(candidates);
  tally->elements++;
  tally->several += !is_one(admissible) && !admissible->any;
  tally->any += admissible->any;
  for (size_t i = 0; i < count; i++) {
    int64_t candidate = CLAMP(candidates[i], storage.smallest, storage.largest);
    uint64_t bits = (uint64_t)candidate & element_mask(type);
    bool is_held = conforms(experiment, element, bits);
    tally->asked++;
    bool is_admitted = admits(admissible, candidate);
    bool is_wrong = is_tight ? is_held != is_admitted : is_admitted && !is_held;
    if (is_wrong) fail(experiment, element, admissible, candidate);
  }
}

/* ---- All inputs ------------------------------------------------------------------------------ */

/* A scale and a zero point of a storage type. */
typedef struct parameters {
  const char *storage;
  double scale;
  int zero_point;
} parameters_t;

static const parameters_t parameters[] = {
    {"i8", 0.125, 0},           {"i8", 0.1, 1},          {"i8", 1.0 / 3, -128},
    {"ui8", 0.05, 255},         {"ui8", 1.0 / 127, 128}, {"i8", 3, 127},
    {"i16", 0x1.b7p-4, -3},     {"i16", 0.007, 32767},   {"ui16", 0x1p-9, 1},
    {"ui16", 0x1.75p-7, 40000}, {"i8", 0x1.4p-14, 5},    {"i8", 0x1p-24, 0},
    {"i8", 60000, -7},          {"i8", -0.3, 2},         {"i8", 0, 3},
    {"ui8", INFINITY, 9},       {"i16", NAN, 0},
};

static void check_all_inputs(const char *format, const parameters_t *row, const char *contract_text,
                             rng_t *rng, tally_t *tally) {
  enum { PATTERNS = 1 << 16 };
  g_autofree char *line = g_strdup_printf("byteir.quantize %s[%d] %s[] %s[] -> %s[%d]", format,
                                          PATTERNS, format, row->storage, row->storage, PATTERNS);
  experiment_t experiment;
  experiment_init(&experiment, line);
  const tensor_t *operands = experiment.instance.operands;
  for (size_t i = 0; i < PATTERNS; i++) {
    element_store(operands[QUANTIZE_INPUT].type.element, operands[QUANTIZE_INPUT].data, i, i);
  }
  store_float(&operands[QUANTIZE_SCALE], 0, row->scale);
  storage_store(&operands[QUANTIZE_ZERO_POINT], 0, row->zero_point);
  const contract_t contract = contract_of(contract_text);
  experiment_decide_under(&experiment, &contract);
  storage_t storage = storage_of(element_named(row->storage));
  double scale = load_float(&operands[QUANTIZE_SCALE], 0);
  for (size_t i = 0; i < PATTERNS; i++) {
    double x = load_float(&operands[QUANTIZE_INPUT], i);
    admissible_t admissible =
        find_admissible(&contract, operands[QUANTIZE_INPUT].type.element->format, x, scale,
                        row->zero_point, storage);
    check_element(&experiment, rng, i, &admissible, storage, tally);
  }
  experiment_deinit(&experiment);
}

/* Of 8-bit integers and 16-bit floats divided in f32, none has a near-tie: a quotient differs from
 * a tie m / 2, |m| < 2^9, by at least 2^-20 of it (the scale has 11 bits), the rounding by 2^-24 at
 * the most. */
static void test_all_inputs(gconstpointer data) {
  const char *format = data;
  rng_t rng = rng_make(0x16b1);
  for (size_t i = 0; i < G_N_ELEMENTS(parameters); i++) {
    const parameters_t *row = &parameters[i];
    tally_t tally = {0};
    check_all_inputs(format, row, "intermediate=wide", &rng, &tally);
    if (element_named(row->storage)->bits == 8) g_assert_cmpuint(tally.several, ==, 0);
    g_assert_cmpuint(tally.any, >, 0);
    g_test_message("%s %s scale %a: %zu asked, %zu near-ties, %zu NaN", format, row->storage,
                   row->scale, tally.asked, tally.several, tally.any);
  }
}

/* In their own arithmetic more quotients come near a tie, and those of 16-bit integers overflow. */
static void test_all_inputs_native(gconstpointer data) {
  const char *format = data;
  rng_t rng = rng_make(0x16b2);
  tally_t tally = {0};
  for (size_t i = 0; i < G_N_ELEMENTS(parameters); i += 6) {
    check_all_inputs(format, &parameters[i], "spec", &rng, &tally);
    check_all_inputs(format, &parameters[i], "intermediate=native", &rng, &tally);
  }
  g_test_message("%s: %zu elements, %zu asked, %zu near-ties", format, tally.elements, tally.asked,
                 tally.several);
  g_assert_cmpuint(tally.several, >, 100);
}

/* ---- Near-ties ------------------------------------------------------------------------------- */

/* (k + 1/2) * s, rounded, and up to three steps away: one scale for each element. */
static void draw_near_ties(rng_t *rng, const case_t *instance) {
  const tensor_t *input = &instance->operands[QUANTIZE_INPUT];
  const element_t *element = input->type.element;
  for (size_t i = 0; i < type_element_count(&input->type); i++) {
    double significand = 1 + (double)(rng_bits(rng) >> 12) * 0x1p-52;
    store_float(&instance->operands[QUANTIZE_SCALE], i,
                ldexp(significand, (int)rng_between(rng, -20, 4)));
    storage_store(&instance->operands[QUANTIZE_ZERO_POINT], i, rng_between(rng, -100, 100));
    double tie = (double)rng_between(rng, -130, 130) + 0.5;
    store_float(input, i, tie * load_float(&instance->operands[QUANTIZE_SCALE], i));
    uint64_t bits = element_load(element, input->data, i);
    for (int64_t steps = rng_between(rng, 0, 3); steps > 0; steps--) {
      bits = rng_one_in(rng, 2) ? format_next_up(element->format, bits)
                                : format_next_down(element->format, bits);
    }
    element_store(element, input->data, i, bits);
  }
}

static void check_near_ties(const char *format, const char *contract_text, tally_t *tally) {
  enum { ELEMENTS = 20000 };
  g_autofree char *line = g_strdup_printf("byteir.quantize axis=0 %s[%d] %s[%d] i8[%d] -> i8[%d]",
                                          format, ELEMENTS, format, ELEMENTS, ELEMENTS, ELEMENTS);
  experiment_t experiment;
  experiment_init(&experiment, line);
  const tensor_t *operands = experiment.instance.operands;
  rng_t rng = rng_make(0x71e5);
  draw_near_ties(&rng, &experiment.instance);
  const contract_t contract = contract_of(contract_text);
  experiment_decide_under(&experiment, &contract);
  storage_t storage = {-128, 127};
  for (size_t i = 0; i < ELEMENTS; i++) {
    double x = load_float(&operands[QUANTIZE_INPUT], i);
    double s = load_float(&operands[QUANTIZE_SCALE], i);
    admissible_t admissible =
        find_admissible(&contract, operands[QUANTIZE_INPUT].type.element->format, x, s,
                        storage_load(&operands[QUANTIZE_ZERO_POINT], i), storage);
    check_element(&experiment, &rng, i, &admissible, storage, tally);
  }
  experiment_deinit(&experiment);
}

/* Under which contracts near-ties have two integers. */
static void test_near_ties(void) {
  static const struct {
    const char *format;
    const char *contract;
    bool has_several;
  } rows[] = {
      {"f32", "backend", true},
      {"f32", "accum_wider=no", false},
      {"f64", "backend", true},
      {"f64", "accum_wider=no", false},
      {"f32", "accum_wider=no,quantize_ties=away", false},
      {"f32", "accum_wider=no,quantize_ties=either", true},
      {"f32", "backend,quantize_ties=either", true},
      {"f16", "intermediate=wide", false},
      {"bf16", "intermediate=wide", false},
      {"bf16", "intermediate=native", true},
      {"bf16", "backend", true},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    tally_t tally = {0};
    check_near_ties(rows[i].format, rows[i].contract, &tally);
    g_test_message("%s under %s: %zu of %zu near-ties", rows[i].format, rows[i].contract,
                   tally.several, tally.elements);
    if (rows[i].has_several) g_assert_cmpuint(tally.several, >, tally.elements / 100);
    if (!rows[i].has_several) g_assert_cmpuint(tally.several, ==, 0);
  }
}

/* x * (1 / s), each step rounded: conforms where that formula is permitted, and elsewhere unless
 * division gives the same. */
static void test_reciprocal(void) {
  enum { ELEMENTS = 20000 };
  const contract_t permits = contract_of("accum_wider=no,quantize=reciprocal");
  const contract_t divides = contract_of("accum_wider=no");
  const format_t *f32 = &format_table[FORMAT_f32];
  experiment_t experiment;
  experiment_init(&experiment,
                  "byteir.quantize axis=0 f32[20000] f32[20000] i8[20000] -> i8[20000]");
  const tensor_t *operands = experiment.instance.operands;
  rng_t rng = rng_make(0x4ec1);
  draw_near_ties(&rng, &experiment.instance);
  storage_t storage = {-128, 127};
  size_t differing = 0;
  mpq_t quotient, inverse;
  mpq_inits(quotient, inverse, NULL);
  for (int is_permitted = 0; is_permitted < 2; is_permitted++) {
    experiment_decide_under(&experiment, is_permitted != 0 ? &permits : &divides);
    for (size_t i = 0; i < ELEMENTS; i++) {
      int64_t zero_point = storage_load(&operands[QUANTIZE_ZERO_POINT], i);
      mpq_set_d(inverse, load_float(&operands[QUANTIZE_SCALE], i));
      mpq_inv(inverse, inverse);
      g_assert_true(rational_round_float(f32, inverse));
      mpq_set_d(quotient, load_float(&operands[QUANTIZE_INPUT], i));
      mpq_mul(quotient, quotient, inverse);
      g_assert_true(rational_round_float(f32, quotient));
      admissible_t divided =
          find_admissible(&divides, f32, load_float(&operands[QUANTIZE_INPUT], i),
                          load_float(&operands[QUANTIZE_SCALE], i), zero_point, storage);
      admissible_t multiplied = {.count = 0};
      admit_rational(&multiplied, &divides, quotient, zero_point, storage);
      int64_t integer = multiplied.integers[0];
      bool is_same = admits(&divided, integer);
      bool is_held = conforms(&experiment, i, (uint64_t)integer & 0xff);
      g_assert_cmpint(is_held, ==, is_same || is_permitted != 0);
      differing += !is_same;
    }
  }
  mpq_clears(quotient, inverse, NULL);
  experiment_deinit(&experiment);
  g_test_message("%zu of %d differ from division", differing / 2, ELEMENTS);
  g_assert_cmpuint(differing, >, ELEMENTS / 50);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/quantize/all_inputs/f16", "f16", test_all_inputs);
  g_test_add_data_func("/quantize/all_inputs/bf16", "bf16", test_all_inputs);
  g_test_add_data_func("/quantize/native/f16", "f16", test_all_inputs_native);
  g_test_add_data_func("/quantize/native/bf16", "bf16", test_all_inputs_native);
  g_test_add_func("/quantize/near_ties", test_near_ties);
  g_test_add_func("/quantize/reciprocal", test_reciprocal);
  return g_test_run();
}

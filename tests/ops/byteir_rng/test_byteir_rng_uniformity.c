/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of uniformity: their bounds against exact probabilities, what each can see and from
 * how many numbers on, and that good generators are not refuted. */
#include "generated/byteir_rng_faults.h"
#include "oracles/ops/byteir_rng/uniformity.h"

#include <stdlib.h>

#include "harness/model/op.h"
#include "oracles/ops/byteir_rng/simulate.h"
#include "oracles/ops/byteir_rng/tails.h"
#include "tests/ops/byteir_rng/rng_campaign.h"

/* What the tails promise, and what exact probabilities are computed with here. */
static const double rounding_bits = 0x1p-18;

/* A bound may not be below the probability.  Where it is to be near, `near` bits at the most. */
static void check_bound(double bits, double probability, double near) {
  double exact = -log2(probability);
  if (bits > exact + rounding_bits) g_error("2^-%.9g, exactly 2^-%.9g", bits, exact);
  if (bits < exact - near) g_error("2^-%.9g, exactly 2^-%.9g: too weak", bits, exact);
}

/* ---- Tails ----------------------------------------------------------------------------------- */

static double binomial_point(size_t n, size_t k, double p) {
  double count = (double)n, successes = (double)k;
  double ways = lgamma(count + 1) - lgamma(successes + 1) - lgamma(count - successes + 1);
  return exp(ways + successes * log(p) + (count - successes) * log1p(-p));
}

static double binomial_tail(size_t n, size_t k, double p) {
  bool is_upper = (double)k > (double)n * p;
  double tail = 0;
  for (size_t i = is_upper ? k : 0; i <= (is_upper ? n : k); i++) tail += binomial_point(n, i, p);
  return tail;
}

static void test_binomial(void) {
  static const double probabilities[] = {0.5, 1.0 / 16};
  static const size_t counts[] = {1, 2, 17, 64, 69, 200, 1000};
  for (size_t p = 0; p < G_N_ELEMENTS(probabilities); p++) {
    for (size_t c = 0; c < G_N_ELEMENTS(counts); c++) {
      size_t n = counts[c];
      for (size_t k = 0; k <= n; k++) {
        double bits = byteir_rng_binomial_bits(n, k, probabilities[p]);
        double exact = binomial_tail(n, k, probabilities[p]);
        if (exact < 1e-280) continue; /* Beyond binary64. */
        check_bound(bits, exact, 1 + log2((double)n + 1));
      }
    }
  }
  g_assert_cmpfloat(byteir_rng_binomial_bits(69, 69, 0.5), ==, 69);
  g_assert_cmpfloat(byteir_rng_binomial_bits(17, 17, 1.0 / 16), ==, 68);
}

/* Trials with probabilities 0, q, 2 q, ..., as of numbers that may repeat earlier ones. */
static void test_rare(void) {
  enum { TRIALS = 64 };
  static const double probabilities[] = {0x1p-6, 0x1p-10, 0x1p-19};
  for (size_t p = 0; p < G_N_ELEMENTS(probabilities); p++) {
    double q = probabilities[p] / 8;
    double counts[TRIALS + 1] = {1}; /* Probabilities of so many successes. */
    for (int trial = 0; trial < TRIALS; trial++) {
      for (int k = TRIALS; k >= 0; k--) {
        counts[k] = counts[k] * (1 - trial * q) + (k > 0 ? counts[k - 1] * trial * q : 0);
      }
    }
    const double trials = TRIALS;
    double mean = q * trials * (trials - 1) / 2;
    double tail = 0;
    for (int k = TRIALS; k > 0; k--) {
      tail += counts[k];
      if (tail < 1e-280) continue;
      double bits = byteir_rng_rare_bits(mean, (size_t)k);
      check_bound(bits, tail, k <= mean ? INFINITY : k < 8 ? 6 : INFINITY);
    }
  }
}

/* One side of the statistic of Kolmogorov and Smirnov is known exactly (Birnbaum and Tingey 1951);
 * two sides have at most twice its probability, and exactly twice from 1/2 on. */
static double deviation_tail(size_t n, double d) {
  double count = (double)n, tail = 0;
  for (size_t j = 0; (double)j <= count * (1 - d); j++) {
    double place = d + (double)j / count;
    double rest = fmax(1 - place, 0);
    double ways = lgamma(count + 1) - lgamma((double)j + 1) - lgamma(count - (double)j + 1);
    tail += exp(ways) * pow(place, (double)j - 1) * pow(rest, count - (double)j);
  }
  return 2 * d * tail;
}

static void test_deviation(void) {
  for (size_t n = 1; n <= 40; n++) {
    for (int step = 1; step < 100; step++) {
      double d = step / 100.0;
      double bits = byteir_rng_deviation_bits(n, d);
      if (bits <= 0) continue; /* Of probability 1 nothing is said. */
      double exact = deviation_tail(n, d);
      if (exact < 1e-280) continue;
      check_bound(bits, exact, n >= 20 && d < 0.3 ? 3 : INFINITY);
    }
  }
}

static bool next_permutation(int *items, int count) {
  int i = count - 2;
  while (i >= 0 && items[i] > items[i + 1]) i--;
  if (i < 0) return false;
  int j = count - 1;
  while (items[j] < items[i]) j--;
  int swapped = items[i];
  items[i] = items[j];
  items[j] = swapped;
  for (int left = i + 1, right = count - 1; left < right; left++, right--) {
    swapped = items[left];
    items[left] = items[right];
    items[right] = swapped;
  }
  return true;
}

/* All orders of some numbers are equally probable. */
static void test_runs(void) {
  enum { MOST = 8 };
  for (int n = 1; n <= MOST; n++) {
    int items[MOST];
    size_t counts[MOST + 1] = {0}, total = 0;
    for (int i = 0; i < n; i++) items[i] = i;
    do {
      int longest = 1, length = 1;
      for (int i = 1; i < n; i++) {
        length = items[i] > items[i - 1] ? length + 1 : 1;
        longest = MAX(longest, length);
      }
      for (int length_or_less = 1; length_or_less <= longest; length_or_less++) {
        counts[length_or_less]++;
      }
      total++;
    } while (next_permutation(items, n));
    for (int length = 1; length <= n; length++) {
      double exact = (double)counts[length] / (double)total;
      check_bound(byteir_rng_run_bits((size_t)n, (size_t)length), exact, 3);
    }
  }
}

/* ---- Where V lies ---------------------------------------------------------------------------- */

/* u of V in the way of a generator. */
static double uniform_of(double v, uniform_way_t way, int precision) {
  double word = floor(v * 0x1p32);
  switch (way) {
    case UNIFORM_WORD:
      return word * 0x1p-32;
    case UNIFORM_FRACTION:
      return ldexp(floor(ldexp(v, precision - 1)), 1 - precision);
    case UNIFORM_MIDDLE:
      return (word + 0.5) * 0x1p-32;
    case UNIFORM_ABOVE:
      return (word + 1) * 0x1p-32;
    case UNIFORM_CLOSED:
      return word / 4294967295.0;
    case UNIFORM_LONG:
    case UNIFORM_WAY_COUNT:
    default:
      return v;
  }
}

static double flush(const format_t *format, double value) {
  return fabs(value) < ldexp(1, format->exponent_min) ? 0 : value;
}

/* The same as campaign_number(), with everything subnormal flushed. */
static double flushed_number(const arithmetic_t *arithmetic, double u, double low, double high) {
  const format_t *format = arithmetic->format;
  low = flush(format, low);
  u = flush(format, format_round_double(format, u));
  double width = flush(format, arithmetic_add(arithmetic, flush(format, high), -low));
  double product = flush(format, arithmetic_multiply(arithmetic, u, width));
  return flush(format, arithmetic_add(arithmetic, low, product));
}

/* The share of the radius by which the place of one number is off; it may not exceed 1. */
static double share_of_radius(rng_t *rng, bool flushes, arena_t *arena) {
  const element_t *element = draw_element(rng, campaign_is_drawn, NULL);
  const format_t *format = element->format;
  const arithmetic_t arithmetic = arithmetic_make(format);
  double low, high;
  campaign_bounds(rng, format, &low, &high);
  double v = (double)(rng_bits(rng) >> 11) * 0x1p-53;
  uniform_way_t way = (uniform_way_t)rng_below(rng, UNIFORM_WAY_COUNT);
  double u = uniform_of(v, way, format->precision);
  bool is_fused = rng_one_in(rng, 2);
  double y = flushes ? flushed_number(&arithmetic, u, low, high)
                     : campaign_number(&arithmetic, u, low, high, is_fused, HIGH_KEPT);
  type_t type = type_make(element, 0, NULL);
  tensor_t result = tensor_make(arena, &type);
  element_store(element, result.data, 0, format_from_double(format, y));
  contract_t contract = contract_spec();
  if (flushes) PERMITTED(&contract, ftz) = FTZ_BOTH;
  byteir_rng_sample_t sample = byteir_rng_sample_make(&result, low, high, &contract, arena);
  double share = fabs(sample.places[0] - v) / sample.radius;
  if (share > 1) g_error("%s %a .. %a, way %d: V %a, %a", element->name, low, high, way, v, y);
  return share;
}

/* The assumption on which all checks rest; and the radius is not much larger than it must be. */
static void test_radius(void) {
  enum { NUMBERS = 200000 };
  rng_t rng = rng_make(2);
  arena_t arena;
  arena_init(&arena);
  for (int flushes = 0; flushes < 2; flushes++) {
    double most = 0;
    for (int i = 0; i < NUMBERS; i++) {
      arena_reset(&arena);
      most = fmax(most, share_of_radius(&rng, flushes != 0, &arena));
    }
    g_test_message("at most %.3f of the radius", most);
    g_assert_cmpfloat(most, >, 0.4);
  }
  arena_deinit(&arena);
}

/* ---- The fewest numbers ---------------------------------------------------------------------- */

static bool refutes(byteir_rng_check_t check, const double *places, size_t count, double radius) {
  arena_t arena;
  arena_init(&arena);
  byteir_rng_sample_t sample = byteir_rng_sample_of(places, count, radius, &arena);
  bool is_refuted = byteir_rng_check_one(&sample, check).is_refuted;
  arena_deinit(&arena);
  return is_refuted;
}

/* What looks worst to each check is refuted from so many numbers on, as the header says. */
static void test_fewest(void) {
  enum { MOST = 80 };
  static const struct {
    byteir_rng_check_t check;
    double first;
    double step;
    double radius;
    size_t fewest;
  } rows[] = {
      {BYTEIR_RNG_DISTRIBUTION, 0.9999, 0, 0x1p-40, 23},
      {BYTEIR_RNG_REPEATS, 0.3, 0, 0x1.0002p-32, 4},
      {BYTEIR_RNG_REPEATS, 0.3, 0, 0x1.p-21, 5},
      {BYTEIR_RNG_BITS, 0.7, 0, 0x1p-21, 69},
      {BYTEIR_RNG_PAIRS, 0.3, 0, 0x1p-21, 34},
      {BYTEIR_RNG_RUNS, 0.01, 0.01, 0x1p-21, 21},
      {BYTEIR_RNG_RUNS, 0.99, -0.01, 0x1p-21, 21},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    double places[MOST];
    for (int n = 0; n < MOST; n++) places[n] = rows[i].first + n * rows[i].step;
    for (size_t count = 1; count < MOST; count++) {
      bool is_refuted = refutes(rows[i].check, places, count, rows[i].radius);
      if (is_refuted != (count >= rows[i].fewest)) g_error("row %zu, %zu numbers", i, count);
    }
  }
}

/* Numbers that are low may stand for V near 0 or near 1: they prove nothing but by repeating, and
 * by the squares that they surely are not in.  A radius within which everything lies proves
 * nothing.
 */
static void test_unknown_places(void) {
  enum { COUNT = 4096 };
  double *low = g_new0(double, COUNT);
  for (int check = 0; check < BYTEIR_RNG_CHECK_COUNT; check++) {
    bool is_refuted = refutes((byteir_rng_check_t)check, low, COUNT, 0x1p-21);
    bool is_expected = check == BYTEIR_RNG_REPEATS || check == BYTEIR_RNG_PAIRS;
    g_assert_cmpint(is_refuted, ==, is_expected);
  }
  for (int i = 0; i < COUNT; i++) low[i] = 0.25;
  for (int check = 0; check < BYTEIR_RNG_CHECK_COUNT; check++) {
    g_assert_true(refutes((byteir_rng_check_t)check, low, COUNT, 0x1p-21) ||
                  check == BYTEIR_RNG_RUNS);
    g_assert_false(refutes((byteir_rng_check_t)check, low, COUNT, 1));
  }
  g_free(low);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static tensor_t simulate(const char *type, int64_t count, const implementation_model_t *schedule,
                         arena_t *arena) {
  g_autofree char *line =
      g_strdup_printf("byteir.rng_uniform %s[] %s[] i64[] i64[] -> %s[%" G_GINT64_FORMAT ",4]",
                      type, type, type, count / 4);
  program_t program;
  failure_t error;
  status_t status = program_parse(str_from(line), arena, &program, NULL, &error);
  if (status != STATUS_OK) g_error("%s: %s", line, error.text);
  case_t instance = case_make(arena, &program);
  for (uint32_t i = 0; i < program.operand_count; i++) {
    const element_t *element = program.operands[i].element;
    bool is_high = i == BYTEIR_RNG_HIGH;
    uint64_t bits =
        element->format != NULL ? format_from_double(element->format, is_high ? 1 : 0) : 12345;
    element_store(element, instance.operands[i].data, 0, bits);
  }
  tensor_t result = tensor_make(arena, &program.results[0]);
  const oracle_call_t call = {.instance = &instance, .arena = arena, .error = &error};
  g_assert_cmpint(byteir_rng_simulate(&call, schedule, &result), ==, STATUS_OK);
  return result;
}

static byteir_rng_finding_t find(const char *type, int64_t count,
                                 const implementation_model_t *schedule, byteir_rng_check_t check) {
  arena_t arena;
  arena_init(&arena);
  tensor_t result = simulate(type, count, schedule, &arena);
  const contract_t contract = contract_backend();
  byteir_rng_sample_t sample = byteir_rng_sample_make(&result, 0, 1, &contract, &arena);
  byteir_rng_finding_t finding = byteir_rng_check_one(&sample, check);
  arena_deinit(&arena);
  return finding;
}

/* Each check is seen to fail on a generator with a fault, the published one and another, in so many
 * numbers; in all types that can show it, and on no good generator. */
static void test_faults(void) {
  static const struct {
    fault_t fault;
    byteir_rng_check_t check;
    int64_t count;
    const char *types;
  } rows[] = {
      {FAULT_uniform_squared, BYTEIR_RNG_DISTRIBUTION, 600, "f64 f32 f16 bf16"},
      {FAULT_uniform_bit_stuck, BYTEIR_RNG_DISTRIBUTION, 2400, "f64 f32 f16 bf16"},
      {FAULT_uniform_bit_stuck, BYTEIR_RNG_BITS, 120, "f64 f32 f16"},
      {FAULT_uniform_of_8_bits, BYTEIR_RNG_REPEATS, 100, "f64 f32"},
      {FAULT_uniform_period_16, BYTEIR_RNG_REPEATS, 40, "f64 f32"},
      {FAULT_uniform_pairs_equal, BYTEIR_RNG_REPEATS, 40, "f64 f32"},
      {FAULT_uniform_rows_repeat, BYTEIR_RNG_REPEATS, 40, "f64 f32"},
      {FAULT_uniform_pairs_equal, BYTEIR_RNG_PAIRS, 1200, "f64 f32 f16 bf16"},
      {FAULT_uniform_pairs_mirrored, BYTEIR_RNG_PAIRS, 1200, "f64 f32 f16 bf16"},
      {FAULT_index_unenciphered, BYTEIR_RNG_PAIRS, 1600, "f64 f32 f16 bf16"},
      {FAULT_uniform_sorted, BYTEIR_RNG_RUNS, 40, "f64 f32"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_auto(GStrv) types = g_strsplit(rows[i].types, " ", -1);
    for (char **type = types; *type != NULL; type++) {
      for (int unknown = 0; unknown < 2; unknown++) {
        implementation_model_t schedule = {.fault = rows[i].fault, .seed = 3};
        bool is_of_philox = rows[i].fault == FAULT_index_unenciphered;
        schedule.order.kind = unknown && !is_of_philox ? SUM_SHUFFLED : SUM_SEQUENTIAL;
        byteir_rng_finding_t finding = find(*type, rows[i].count, &schedule, rows[i].check);
        if (!finding.is_refuted) g_error("row %zu, %s: 2^-%.1f", i, *type, finding.bits);
        g_assert_true(strstr(finding.words, ", probability below 2^-") != NULL);
        schedule.fault = FAULT_NONE;
        g_assert_false(find(*type, rows[i].count, &schedule, rows[i].check).is_refuted);
      }
    }
  }
}

/* ---- Good generators ------------------------------------------------------------------------- */

/* bench_rng_uniformity runs millions.  Whether a check finds 2^-b more often than in one of 2^b
 * results is itself judged by the bound on binomial tails. */
static void test_good_generators(void) {
  enum { RESULTS = 8000, NUMBERS = 1024 };
  campaign_t campaign;
  campaign_init(&campaign, 4);
  campaign_run(&campaign, RESULTS, NUMBERS);
  g_test_message("%zu results, %zu numbers", campaign.results, campaign.numbers);
  g_assert_cmpuint(campaign.refuted, ==, 0);
  for (int check = 0; check < BYTEIR_RNG_CHECK_COUNT; check++) {
    g_test_message("check %d: most improbable 2^-%.1f", check, campaign.most[check]);
    g_assert_cmpfloat(campaign.most[check], >, 0);
    for (int bits = 1; bits <= CAMPAIGN_BITS_MAX; bits++) {
      double probability = ldexp(1, -bits);
      size_t count = campaign.counts[check][bits];
      if ((double)count <= (double)campaign.results * probability) continue;
      double surprise = byteir_rng_binomial_bits(RESULTS, count, probability);
      if (surprise > 40) g_error("check %d: 2^-%d in %zu of %d", check, bits, count, RESULTS);
    }
  }
  arena_deinit(&campaign.arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir-rng-uniformity/binomial", test_binomial);
  g_test_add_func("/byteir-rng-uniformity/rare", test_rare);
  g_test_add_func("/byteir-rng-uniformity/deviation", test_deviation);
  g_test_add_func("/byteir-rng-uniformity/runs", test_runs);
  g_test_add_func("/byteir-rng-uniformity/radius", test_radius);
  g_test_add_func("/byteir-rng-uniformity/fewest", test_fewest);
  g_test_add_func("/byteir-rng-uniformity/unknown-places", test_unknown_places);
  g_test_add_func("/byteir-rng-uniformity/faults", test_faults);
  g_test_add_func("/byteir-rng-uniformity/good-generators", test_good_generators);
  return g_test_run();
}

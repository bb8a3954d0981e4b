/* SPDX-License-Identifier: Apache-2.0 */
/* The ops whose meaning is a formula a second time: exact values by MPFR, one number after the
 * other, bounds on rounding errors written anew, and how far from the exact value an oracle permits
 * results, measured by asking it. */
#ifndef ASSAY_TESTS_OPS_NAIVE_FORMULA_H
#define ASSAY_TESTS_OPS_NAIVE_FORMULA_H

#include "oracles/exact/value_range.h"
#include "tests/ops/naive.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

enum { FORMULA_PRECISION = 700, FORMULA_TERMS_MAX = 8 };

/* A type and a contract: what a conforming implementation computes with. */
typedef struct setting {
  const char *element;
  bool is_backend;
  double u;   /* Unit roundoff of the coarsest arithmetic: the type's own, or f32's. */
  double eta; /* The smallest positive number of that arithmetic. */
} setting_t;

#define SETTING_COUNT 8
static const setting_t settings[SETTING_COUNT] = {
    {"f64", false, 0x1p-53, 0x1p-1074}, {"f64", true, 0x1p-53, 0x1p-1074},
    {"f32", false, 0x1p-24, 0x1p-149},  {"f32", true, 0x1p-24, 0x1p-149},
    {"f16", false, 0x1p-11, 0x1p-24},   {"f16", true, 0x1p-24, 0x1p-149},
    {"bf16", false, 0x1p-8, 0x1p-133},  {"bf16", true, 0x1p-24, 0x1p-149},
};

/* "backend" would permit 16-bit types their own arithmetic too: here they are held to f32. */
static inline contract_t setting_contract(const setting_t *setting) {
  contract_t contract = setting->is_backend ? contract_backend() : contract_spec();
  if (setting->is_backend) PERMITTED(&contract, intermediate) = INTERMEDIATE_WIDE;
  return contract;
}

/* The finest arithmetic: f32 for 16-bit types. */
static inline const format_t *setting_format(const setting_t *setting) {
  const format_t *format = element_named(setting->element)->format;
  return format->bits == 16 ? &format_table[FORMAT_f32] : format;
}

/* The arithmetic of those who take the type's own wherever they may. */
static inline const format_t *setting_coarse_format(const setting_t *setting) {
  return setting->is_backend ? setting_format(setting) : element_named(setting->element)->format;
}

/* How far the sets that an oracle permits reach, over many components. */
typedef struct reach {
  size_t components;
  double bounds; /* From the exact value, in permitted errors, with half an ulp for rounding; */
  double ulps;   /* in units in the last place of the exact value. */
} reach_t;

/* One case under one contract; rows are evaluated once. */
typedef struct probe {
  question_t question;
  tensor_t results[CASE_RESULTS_MAX];
  decision_memo_t memo;
} probe_t;

static inline void probe_open(probe_t *probe, const case_t *instance, const contract_t *contract,
                              arena_t *arena) {
  g_assert_cmpint(question_make(instance, contract, arena, &probe->question), ==, STATUS_OK);
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    probe->results[r] = tensor_make(arena, &instance->program.results[r]);
    memset(probe->results[r].data, 0, type_bytes(&instance->program.results[r]));
  }
  decision_memo_init(&probe->memo);
}

static inline void probe_close(probe_t *probe) { decision_memo_deinit(&probe->memo); }

static inline bool probe_conforms(probe_t *probe, uint32_t result, size_t component,
                                  uint64_t bits) {
  const question_t *question = &probe->question;
  const element_t *element = probe->results[result].type.element;
  element_store(element, probe->results[result].data, component, bits);
  answer_t answer = {0};
  failure_t error = {.text = ""};
  arena_mark_t mark = arena_mark(question->arena);
  const oracle_call_t call = {.instance = question->instance,
                              .contract = question->contract,
                              .results = probe->results,
                              .memo = &probe->memo,
                              .arena = question->arena,
                              .error = &error};
  status_t status = question->oracle->decide(&call, result, component, &answer);
  if (status != STATUS_OK) g_error("ask: %s", error.text);
  arena_rewind(question->arena, mark);
  bool is_held = accept_holds(&question->accepts[result], element, component, bits);
  g_assert_true(answer.conforms || !is_held);
  return answer.conforms;
}

static inline void probe_fail(const probe_t *probe, uint32_t result, size_t component,
                              uint64_t bits, mpfr_srcptr exact, double bound, const char *what) {
  GString *line = g_string_new(NULL);
  case_print(probe->question.instance, line);
  const format_t *format = probe->results[result].type.element->format;
  g_error("%s\nresult %u component %zu: %a %s; exactly %a, permitted error %g", line->str, result,
          component, format_to_double(format, bits), what, mpfr_get_d(exact, MPFR_RNDN), bound);
}

/* The last conforming number from `near` on, which conforms, before `far`, which does not. */
static inline int64_t probe_end(probe_t *probe, uint32_t result, size_t component, int64_t near,
                                int64_t far) {
  const format_t *format = probe->results[result].type.element->format;
  while (near - far > 1 || far - near > 1) {
    int64_t middle = near + (far - near) / 2;
    bool is_inside = probe_conforms(probe, result, component, format_from_ordinal(format, middle));
    *(is_inside ? &near : &far) = middle;
  }
  return near;
}

static inline void reach_note(reach_t *reach, const format_t *format, mpfr_srcptr exact,
                              double bound, int64_t ordinal) {
  double end = format_to_double(format, format_from_ordinal(format, ordinal));
  if (!isfinite(end)) return;
  mpfr_t distance;
  mpfr_init2(distance, FORMULA_PRECISION);
  mpfr_sub_d(distance, exact, end, MPFR_RNDN);
  double size = fabs(mpfr_get_d(distance, MPFR_RNDN));
  int binade = mpfr_zero_p(exact) ? format->exponent_min : (int)mpfr_get_exp(exact) - 1;
  double ulp = ldexp(1, format_ulp_exponent(format, binade));
  reach->bounds = fmax(reach->bounds, size / (bound + ulp / 2));
  reach->ulps = fmax(reach->ulps, size / ulp);
  mpfr_clear(distance);
}

/* A value, rounded, conforms; it is returned. */
static inline uint64_t probe_check_held(probe_t *probe, uint32_t result, size_t component,
                                        mpfr_srcptr value, double bound, const char *what) {
  const format_t *format = probe->results[result].type.element->format;
  mpfr_t rounded;
  mpfr_init2(rounded, FORMULA_PRECISION);
  mpfr_set(rounded, value, MPFR_RNDN);
  uint64_t bits = format_from_double(format, naive_round(format, rounded));
  if (!probe_conforms(probe, result, component, bits)) {
    probe_fail(probe, result, component, bits, value, bound, what);
  }
  mpfr_clear(rounded);
  return bits;
}

/* What is `factor` permitted errors and two numbers more away from the exact value does not
 * conform; how far the set reaches from `nearest`, which does, is noted. */
static inline void probe_check_far(probe_t *probe, uint32_t result, size_t component,
                                   mpfr_srcptr exact, uint64_t nearest, double bound, double factor,
                                   reach_t *reach) {
  const format_t *format = probe->results[result].type.element->format;
  mpfr_t end;
  mpfr_init2(end, FORMULA_PRECISION);
  for (int sign = -1; sign <= 1; sign += 2) {
    mpfr_set(end, exact, MPFR_RNDN);
    mpfr_add_d(end, end, sign * factor * bound, sign < 0 ? MPFR_RNDD : MPFR_RNDU);
    rounding_t outwards = sign < 0 ? ROUNDING_DOWN : ROUNDING_UP;
    uint64_t bits = format_from_mpfr(format, end, outwards, OVERFLOW_FORMAT);
    int64_t far = format_ordinal(format, bits) + 2 * sign;
    bits = format_from_ordinal(format, far);
    if (probe_conforms(probe, result, component, bits)) {
      probe_fail(probe, result, component, bits, exact, bound, "conforms, though too far away");
    }
    int64_t last = probe_end(probe, result, component, format_ordinal(format, nearest), far);
    reach_note(reach, format, exact, bound, last);
  }
  reach->components++;
  mpfr_clear(end);
}

/* The conforming number nearest to `bits`, which must be less than eight numbers away. */
static inline uint64_t probe_nearest(probe_t *probe, uint32_t result, size_t component,
                                     uint64_t bits, mpfr_srcptr exact, double bound) {
  const format_t *format = probe->results[result].type.element->format;
  int64_t ordinal = format_ordinal(format, bits);
  for (int64_t step = 0; step < 16; step++) {
    int64_t away = step % 2 == 0 ? step / 2 : -(step + 1) / 2;
    uint64_t near = format_from_ordinal(format, ordinal + away);
    if (probe_conforms(probe, result, component, near)) return near;
  }
  probe_fail(probe, result, component, bits, exact, bound, "and all near it are refused");
  return bits;
}

/* Both, of the exact value.  Where each step rounds (spec), nobody may reach it: gelu's
 * x / 2 (1 + t) is not correctly rounded for any t that a faithful tanh delivers, if the sum is
 * rounded to the same number for all of them. */
static inline void probe_check(probe_t *probe, const setting_t *setting, uint32_t result,
                               size_t component, mpfr_srcptr exact, double bound, double factor,
                               reach_t *reach) {
  const format_t *format = probe->results[result].type.element->format;
  mpfr_t rounded;
  mpfr_init2(rounded, FORMULA_PRECISION);
  mpfr_set(rounded, exact, MPFR_RNDN);
  uint64_t nearest = format_from_double(format, naive_round(format, rounded));
  mpfr_clear(rounded);
  if (setting->is_backend) {
    probe_check_held(probe, result, component, exact, bound, "is the exact value, refused");
  } else {
    nearest = probe_nearest(probe, result, component, nearest, exact, bound);
  }
  probe_check_far(probe, result, component, exact, nearest, bound, factor, reach);
}

/* How somebody may compute the op; the pattern is returned. */
static inline uint64_t probe_check_plain(probe_t *probe, uint32_t result, size_t component,
                                         double value, int way, mpfr_srcptr exact, double bound) {
  uint64_t bits = format_from_double(probe->results[result].type.element->format, value);
  if (probe_conforms(probe, result, component, bits)) return bits;
  g_autofree char *what = g_strdup_printf("is what way %d gives, refused", way);
  probe_fail(probe, result, component, bits, exact, bound, what);
  return bits;
}

/* A number of the type in low .. high, stored; it is what is returned. */
static inline double probe_draw(rng_t *rng, const tensor_t *tensor, size_t index, double low,
                                double high) {
  const element_t *element = tensor->type.element;
  double place = (double)rng_below(rng, 1 << 30) * 0x1p-30;
  uint64_t bits = format_from_double(element->format, low + place * (high - low));
  element_store(element, tensor->data, index, bits);
  return format_to_double(element->format, bits);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Grades a divergence from its class, its cause, the bits of its operands and the worst element. */
#include "harness/store/severity/severity.h"

#include <glib.h>
#include <math.h>
#include <string.h>

const char *severity_spelling(severity_id_t severity) {
  static const char *const spellings[SEVERITY_COUNT] = {
#define SEVERITY(name, spelling, words) [SEVERITY_##name] = (spelling),
#include "harness/store/severity/severities.def"
#undef SEVERITY
  };
  return spellings[severity];
}

const char *severity_words(severity_id_t severity) {
  static const char *const sentences[SEVERITY_COUNT] = {
#define SEVERITY(name, spelling, words) [SEVERITY_##name] = (words),
#include "harness/store/severity/severities.def"
#undef SEVERITY
  };
  return sentences[severity];
}

severity_id_t severity_find(const char *spelling) {
  for (int i = 0; i < SEVERITY_COUNT; i++) {
    if (strcmp(spelling, severity_spelling((severity_id_t)i)) == 0) return (severity_id_t)i;
  }
  return SEVERITY_COUNT;
}

/* ---- How ordinary the data are --------------------------------------------------------------- */

/* The element type in "f32", "quant<i8:f32:axis>" or "?": that of the storage; NULL if unknown. */
static const element_t *find_element(const char *name, size_t size) {
  static const char quant[] = "quant<";
  if (size > strlen(quant) && strncmp(name, quant, strlen(quant)) == 0) {
    name += strlen(quant);
    size = strcspn(name, ":>");
  }
  return element_find((str_t){.data = name, .size = size});
}

static double float_extent(const format_t *format, uint64_t bits) {
  number_t number = format_decode(format, bits);
  if (number.kind == NUMBER_ZERO) return 0;
  if (number.kind != NUMBER_FINITE) return (double)INFINITY;
  int top = 63 - __builtin_clzll(number.significand);
  return fabs((double)(number.exponent + top));
}

static double integer_extent(const element_t *element, uint64_t bits) {
  enum { HALF_BITS_MIN = 8 };
  int64_t value = element_signed_value(element, bits);
  uint64_t magnitude = (uint64_t)value;
  if (element->kind == ELEMENT_SIGNED && value < 0) magnitude = 0 - magnitude;
  if (magnitude == 0) return 0;
  int used = 64 - __builtin_clzll(magnitude);
  return SEVERITY_ORDINARY_EXTENT * used / MAX(element->bits / 2, HALF_BITS_MIN);
}

double severity_extent(const element_t *element, uint64_t bits) {
  return element->format != NULL ? float_extent(element->format, bits)
                                 : integer_extent(element, bits);
}

/* The farthest of the components that a field of the case line has in hex; NaN if it is no such
 * field. */
static double field_extent(const element_t *element, const char *field, size_t size) {
  size_t digits = (element->bits + 3u) / 4u;
  if (size == 1 && field[0] == '-') return 0;
  if (size % digits != 0) return (double)NAN;
  double farthest = 0;
  for (size_t at = 0; at < size; at += digits) {
    uint64_t bits = 0;
    for (size_t i = at; i < at + digits; i++) {
      int digit = g_ascii_xdigit_value(field[i]);
      if (digit < 0) return (double)NAN;
      bits = bits << 4 | (uint64_t)digit;
    }
    farthest = fmax(farthest, severity_extent(element, bits));
  }
  return farthest;
}

/* How many operands "f32,f32->f32" has. */
static size_t count_operands(const char *types) {
  size_t count = types[0] != '-' && types[0] != '\0';
  for (; *types != '\0' && strncmp(types, "->", 2) != 0; types++) count += *types == ',';
  return count;
}

/* The data of the operands are the last fields of the line. */
static double data_extent(const char *types, const char *case_line) {
  g_auto(GStrv) fields = g_strsplit(case_line, " : ", -1);
  size_t field_count = g_strv_length(fields);
  size_t operand_count = count_operands(types);
  if (field_count <= operand_count) return (double)NAN;
  double farthest = 0;
  for (size_t i = 0; i < operand_count; i++) {
    size_t name_size = strcspn(types, ",-");
    const element_t *element = find_element(types, name_size);
    const char *field = fields[field_count - operand_count + i];
    double extent = element == NULL ? (double)NAN : field_extent(element, field, strlen(field));
    if (isnan(extent)) return extent;
    farthest = fmax(farthest, extent);
    types += name_size + 1;
  }
  return farthest;
}

/* ---- How large the error is ------------------------------------------------------------------ */

/* The numbers that a text names: one, or two with " .. " between them. */
typedef struct span {
  long double low;
  long double high;
  bool is_known;
} span_t;

/* As the programs write them, whatever the locale is; integers of 64 bits are exact. */
static long double read_number(const char *text, char **out_end) {
  long double number = g_ascii_strtod(text, out_end);
  size_t digits = strspn(text + (text[0] == '-'), "0123456789") + (text[0] == '-');
  if (*out_end != text + digits) return number;
  return text[0] == '-' ? (long double)g_ascii_strtoll(text, NULL, 10)
                        : (long double)g_ascii_strtoull(text, NULL, 10);
}

static span_t read_span(const char *text) {
  static const char between[] = " .. ";
  char *end = NULL;
  span_t span = {.low = read_number(text, &end)};
  if (end == text) return span;
  span.high = span.low;
  span.is_known = true;
  if (strncmp(end, between, strlen(between)) == 0) {
    const char *second = end + strlen(between);
    long double high = read_number(second, &end);
    if (end != second) span.high = high;
  }
  return span;
}

static bool is_finite(long double number) { return isfinite(number) != 0; }

static double relative_error(span_t got, span_t expected) {
  if (!got.is_known || !expected.is_known || !is_finite(got.low)) return (double)NAN;
  bool takes_low =
      !is_finite(expected.high) || fabsl(got.low - expected.low) <= fabsl(got.low - expected.high);
  long double nearest = takes_low ? expected.low : expected.high;
  if (!is_finite(nearest)) return (double)NAN;
  long double larger = fmaxl(fabsl(got.low), fabsl(nearest));
  if (larger == 0) return 0;
  return (double)(fabsl(got.low / larger - nearest / larger));
}

/* ---- The severity ---------------------------------------------------------------------------- */

/* Classes that say it themselves; all others are about wrong values. */
static const struct {
  const char *class_;
  severity_id_t severity;
} BY_CLASS[] = {
    {"", SEVERITY_broken_execution}, /* It failed, and says no more. */
    {"index", SEVERITY_wrong_index},
    {"unwritten", SEVERITY_broken_execution},
    {"out-of-bounds", SEVERITY_broken_execution},
    {"shape", SEVERITY_broken_execution},
    {"environment", SEVERITY_broken_execution},
    {"crash", SEVERITY_broken_execution},
    {"ended", SEVERITY_broken_execution},
    {"hang", SEVERITY_broken_execution},
    {"protocol", SEVERITY_broken_execution},
    {"nondeterministic", SEVERITY_nondeterminism},
    {"invariance", SEVERITY_nondeterminism},
    {"twins", SEVERITY_nondeterminism},
    {"replicas", SEVERITY_nondeterminism},
    {"algorithm", SEVERITY_wrong_algorithm},
    {"formula", SEVERITY_wrong_algorithm},
    {"order", SEVERITY_wrong_algorithm},
    {"nan", SEVERITY_nan_or_infinity},
    {"inf", SEVERITY_nan_or_infinity},
    {"precision", SEVERITY_precision},
    {"truncation", SEVERITY_precision},
    {"looser", SEVERITY_precision},
    {"init-count", SEVERITY_precision},
    {"flush", SEVERITY_flushing},
    {"zero-sign", SEVERITY_zero_sign},
    {"unsupported-accepted", SEVERITY_acceptance},
    {"supported-refused", SEVERITY_acceptance},
    {"invalid-accepted", SEVERITY_acceptance},
};

/* What is sure to be behind wrong values tells more than that they are wrong. */
static severity_id_t by_cause(const char *cause) {
  if (strcmp(cause, "negative-zero-lost") == 0 || strcmp(cause, "zero-negated") == 0) {
    return SEVERITY_zero_sign;
  }
  if (strcmp(cause, "flushed-operands") == 0 || strcmp(cause, "flushed-results") == 0) {
    return SEVERITY_flushing;
  }
  return SEVERITY_COUNT;
}

static severity_id_t find_severity(const severity_case_t *instance, span_t got, span_t expected,
                                   double extent) {
  for (size_t i = 0; i < G_N_ELEMENTS(BY_CLASS); i++) {
    if (strcmp(instance->class_, BY_CLASS[i].class_) == 0) return BY_CLASS[i].severity;
  }
  severity_id_t caused = by_cause(instance->cause);
  if (caused != SEVERITY_COUNT) return caused;
  bool is_finite_got = !got.is_known || is_finite(got.low);
  bool is_finite_due = !expected.is_known || is_finite(expected.low) || is_finite(expected.high);
  if (!is_finite_got || !is_finite_due) return SEVERITY_nan_or_infinity;
  return extent <= SEVERITY_ORDINARY_EXTENT ? SEVERITY_wrong_value_ordinary : SEVERITY_wrong_value;
}

/* Each part ends where it tells no more. */
static double weigh(double error, double extent) {
  const double least = -64;
  const double farthest = 256;
  double orders = error > 0 ? fmax(log2(error), least) : least;
  return orders - (isnan(extent) ? farthest : fmin(extent, farthest)) / 4;
}

severity_t severity_of(const severity_case_t *instance) {
  span_t got = read_span(instance->got);
  span_t expected = read_span(instance->expected);
  severity_t severity = {.data_extent = data_extent(instance->types, instance->case_line),
                         .relative_error = relative_error(got, expected)};
  severity.id = find_severity(instance, got, expected, severity.data_extent);
  severity.weight = weigh(severity.relative_error, severity.data_extent);
  return severity;
}

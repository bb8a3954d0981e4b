/* SPDX-License-Identifier: Apache-2.0 */
/* No false alarm and no looseness where nothing rounds: integers, booleans, and bodies that pick a
 * term.  By brute force over all orders, all trees, and up to 3 initial values. */
#include <inttypes.h>

#include "harness/base/rng.h"
#include "oracles/exact/product/integer.h"
#include "tests/ops/oracle_checks.h"

enum { TERMS_MAX = 4, INITS_MAX = 3, MASKS = 1 << TERMS_MAX, TOLD = 10 };

/* A value and an index, as patterns. */
typedef struct leaf {
  uint64_t value, index;
} leaf_t;

typedef leaf_t combine_t(const void *context, leaf_t left, leaf_t right);

/* Sets of results by terms and number of initial values. */
typedef struct reach {
  combine_t *combine;
  const void *context;
  bool in_order;
  size_t count;
  int init_max;
  leaf_t terms[TERMS_MAX], init;
  GArray *sets[MASKS][INITS_MAX + 1];
} reach_t;

static bool set_has(const GArray *set, leaf_t leaf) {
  for (guint i = 0; i < set->len; i++) {
    leaf_t other = g_array_index(set, leaf_t, i);
    if (other.value == leaf.value && other.index == leaf.index) return true;
  }
  return false;
}

static void combine_sets(const reach_t *reach, const GArray *left, const GArray *right,
                         GArray *out) {
  for (guint i = 0; i < left->len; i++) {
    for (guint j = 0; j < right->len; j++) {
      leaf_t result = reach->combine(reach->context, g_array_index(left, leaf_t, i),
                                     g_array_index(right, leaf_t, j));
      if (!set_has(out, result)) g_array_append_val(out, result);
    }
  }
}

/* In order, the left part holds the first terms. */
static bool part_is_allowed(const reach_t *reach, unsigned part, unsigned mask) {
  unsigned rest = mask & ~part;
  return !reach->in_order || part == 0 || rest == 0 || part < (rest & (0u - rest));
}

static void fill(reach_t *reach, unsigned mask, int inits) {
  GArray *out = reach->sets[mask][inits];
  for (unsigned part = mask;; part = (part - 1) & mask) {
    for (int i = 0; i <= inits && part_is_allowed(reach, part, mask); i++) {
      const GArray *left = reach->sets[part][i], *right = reach->sets[mask & ~part][inits - i];
      if (left != out && right != out) combine_sets(reach, left, right, out);
    }
    if (part == 0) break;
  }
}

static void run(reach_t *reach) {
  for (unsigned mask = 0; mask < 1u << reach->count; mask++) {
    for (int inits = 0; inits <= reach->init_max; inits++) {
      GArray *set = reach->sets[mask][inits] = g_array_new(FALSE, FALSE, sizeof(leaf_t));
      bool is_term = inits == 0 && mask != 0 && (mask & (mask - 1)) == 0;
      if (is_term) g_array_append_val(set, reach->terms[__builtin_ctz(mask)]);
      if (mask == 0 && inits == 1) g_array_append_val(set, reach->init);
      fill(reach, mask, inits);
    }
  }
}

static void clear(reach_t *reach) {
  for (unsigned mask = 0; mask < 1u << reach->count; mask++) {
    for (int inits = 0; inits <= reach->init_max; inits++) {
      g_array_unref(reach->sets[mask][inits]);
    }
  }
}

/* With the number of initial values that the contract permits. */
static bool is_reached(const reach_t *reach, const contract_t *contract, leaf_t leaf) {
  bool once = PERMITTED(contract, init_count) == INIT_COUNT_ONE || reach->count == 0;
  for (int inits = once ? 1 : 0; inits <= reach->init_max; inits++) {
    if (PERMITTED(contract, init_count) == INIT_COUNT_ONE && inits != 1) continue;
    if (set_has(reach->sets[(1u << reach->count) - 1][inits], leaf)) return true;
  }
  return false;
}

static contract_t contract_from(const char *text) {
  contract_t contract;
  if (contract_parse(str_from(text), &contract, NULL) != STATUS_OK) g_error("%s", text);
  return contract;
}

/* ---- Integers -------------------------------------------------------------------------------- */

typedef struct integer_row {
  const char *element;
  fold_body_t body;
  const char *contract;
  bool is_exact; /* Saturation is bounded by an interval, which may hold more than is reached. */
} integer_row_t;

#define WRAP "integer_overflow=wrap"
#define WRAP_ONCE "integer_overflow=wrap,init_count=1"
#define SATURATE "integer_overflow=saturate"
#define SATURATE_ONCE "integer_overflow=saturate,init_count=1"
static const integer_row_t integer_rows[] = {
    {"i2", FOLD_ADD, SATURATE, false},
    {"i4", FOLD_ADD, WRAP_ONCE, true},
    {"i4", FOLD_ADD, SATURATE_ONCE, false},
    {"i4", FOLD_ADD, SATURATE, false},
    {"i8", FOLD_ADD, SATURATE_ONCE, false},
    {"i8", FOLD_ADD, SATURATE, false},
    {"ui4", FOLD_ADD, SATURATE_ONCE, true},
    {"ui4", FOLD_ADD, SATURATE, false},
    {"i4", FOLD_MULTIPLY, WRAP_ONCE, true},
    {"i4", FOLD_MULTIPLY, SATURATE_ONCE, false},
    {"i4", FOLD_MULTIPLY, SATURATE, false},
    {"i8", FOLD_MULTIPLY, SATURATE_ONCE, false},
    {"i8", FOLD_MULTIPLY, SATURATE, false},
    {"ui4", FOLD_MULTIPLY, SATURATE_ONCE, true},
    {"ui8", FOLD_MULTIPLY, SATURATE, false},
    {"i8", FOLD_ADD, WRAP, false},
    {"i4", FOLD_MAXIMUM, WRAP, true},
    {"ui4", FOLD_MAXIMUM, WRAP_ONCE, true},
    {"i4", FOLD_MINIMUM, SATURATE, true},
    {"ui4", FOLD_MINIMUM, WRAP, true},
    {"i4", FOLD_AND, WRAP, true},
    {"i4", FOLD_OR, SATURATE, true},
    {"i4", FOLD_XOR, WRAP, true},
    {"i4", FOLD_XOR, WRAP_ONCE, true},
    {"i1", FOLD_ADD, WRAP, true},
    {"i1", FOLD_MULTIPLY, SATURATE, true},
    {"i1", FOLD_XOR, WRAP, true},
    {"i1", FOLD_MAXIMUM, WRAP_ONCE, true},
};

typedef struct integer_context {
  const element_t *element;
  fold_body_t body;
  bool saturates;
} integer_context_t;

static int64_t limit(const integer_context_t *context, int64_t value) {
  int64_t least = element_integer_min(context->element);
  int64_t most = (int64_t)element_integer_max(context->element);
  return value < least ? least : (value > most ? most : value);
}

static int64_t combined(const integer_context_t *context, int64_t a, int64_t b) {
  bool is_boolean = context->element->kind == ELEMENT_BOOLEAN;
  switch (context->body) {
    case FOLD_ADD:
      return is_boolean ? (a | b) : a + b;
    case FOLD_MULTIPLY:
      return a * b;
    case FOLD_MAXIMUM:
      return a > b ? a : b;
    case FOLD_MINIMUM:
      return a < b ? a : b;
    case FOLD_AND:
      return a & b;
    case FOLD_OR:
      return a | b;
    default:
      return a ^ b;
  }
}

static leaf_t combine_integers(const void *data, leaf_t left, leaf_t right) {
  const integer_context_t *context = (const integer_context_t *)data;
  const element_t *element = context->element;
  bool is_signed = element->kind == ELEMENT_SIGNED;
  int64_t a = is_signed ? element_signed_value(element, left.value) : (int64_t)left.value;
  int64_t b = is_signed ? element_signed_value(element, right.value) : (int64_t)right.value;
  int64_t result = combined(context, a, b);
  if (context->saturates) result = limit(context, result);
  return (leaf_t){.value = (uint64_t)result & element_mask(element)};
}

static uint64_t extended(const element_t *element, uint64_t bits) {
  return element->kind == ELEMENT_SIGNED ? (uint64_t)element_signed_value(element, bits) : bits;
}

static bool saw_more_inits(const answer_t *answer) {
  const char *count = strchr(answer->observed, '=');
  return count != NULL && g_ascii_strtoll(count + 1, NULL, 10) > INITS_MAX;
}

static bool check_integer_case(const integer_row_t *row, rng_t *rng) {
  contract_t contract = contract_from(row->contract);
  const element_t *element = element_named(row->element);
  integer_context_t context = {element, row->body,
                               PERMITTED(&contract, integer_overflow) == INTEGER_OVERFLOW_SATURATE};
  reach_t reach = {.combine = combine_integers,
                   .context = &context,
                   .count = rng_below(rng, TERMS_MAX + 1),
                   .init_max = INITS_MAX};
  uint64_t terms[TERMS_MAX] = {0}, mask = element_mask(element);
  for (size_t i = 0; i < reach.count; i++) {
    reach.terms[i].value = rng_bits(rng) & mask & (rng_one_in(rng, 2) ? 7 : mask);
    terms[i] = extended(element, reach.terms[i].value);
  }
  reach.init.value = rng_bits(rng) & mask;
  run(&reach);
  integer_problem_t question = {.element = element,
                                .body = row->body,
                                .count = reach.count,
                                .left = terms,
                                .has_init = true,
                                .init = extended(element, reach.init.value)};
  bool passes = true;
  for (uint64_t bits = 0; bits <= mask; bits++) {
    answer_t answer;
    integer_answer(&question, &contract, bits, &answer);
    bool reached = is_reached(&reach, &contract, (leaf_t){.value = bits});
    bool loose = row->is_exact && answer.conforms && !reached && !saw_more_inits(&answer);
    if ((answer.conforms || !reached) && !loose) continue;
    passes = false;
    g_test_message("%s body %d, %s: %" PRIi64 " from %" PRIi64 " %" PRIi64 " %" PRIi64 " %" PRIi64
                   " (%zu), init %" PRIi64 ": reached %d, conforms %d, expected %s, observed %s",
                   row->element, row->body, row->contract, (int64_t)extended(element, bits),
                   (int64_t)terms[0], (int64_t)terms[1], (int64_t)terms[2], (int64_t)terms[3],
                   reach.count, (int64_t)question.init, reached, answer.conforms, answer.expected,
                   answer.observed);
  }
  clear(&reach);
  return passes;
}

static void test_integers(gconstpointer data) {
  const integer_row_t *row = (const integer_row_t *)data;
  rng_t rng = rng_make(30);
  int failures = 0;
  for (int i = 0; i < 25 && failures < TOLD; i++) failures += check_integer_case(row, &rng) ? 0 : 1;
  g_assert_cmpint(failures, ==, 0);
}

/* ---- Picks ----------------------------------------------------------------------------------- */

typedef struct pick_row {
  const char *body;
  const char *element;
  const char *contract;
} pick_row_t;

static const pick_row_t pick_rows[] = {
    {"maximum", "f8E5M2", "spec"},
    {"minimum", "f8E5M2", "backend"},
    {"maximum", "f4E2M1FN", "backend"},
    {"minimum", "f8E4M3FNUZ", "backend,init_count=1"},
    {"argmax", "f8E5M2", "spec"},
    {"argmin", "f8E5M2", "spec"},
    {"argmax", "f8E5M2", "backend"},
    {"argmin", "f8E4M3FN", "backend"},
    {"argmax", "f4E2M1FN", "spec"},
    {"argmin", "f4E2M1FN", "backend,init_count=1"},
    {"argmax", "i2", "spec"},
    {"argmin", "ui2", "backend"},
    {"argmax", "f8E4M3FNUZ", "backend"},
    {"argmin", "i2", "backend,init_count=1"},
};

typedef struct pick_context {
  const element_t *element;
  bool largest, has_index;
} pick_context_t;

static double number_of(const element_t *element, uint64_t bits) {
  if (element->format != NULL) return format_to_double(element->format, bits);
  if (element->kind == ELEMENT_SIGNED) return (double)element_signed_value(element, bits);
  return (double)bits;
}

/* The argmax and argmin bodies of the case line, and IEEE 754-2019 maximum and minimum. */
static leaf_t combine_picks(const void *data, leaf_t left, leaf_t right) {
  const pick_context_t *context = (const pick_context_t *)data;
  double a = number_of(context->element, left.value), b = number_of(context->element, right.value);
  if (!context->has_index) {
    if (isnan(a) || isnan(b)) return isnan(a) ? left : right;
    if (a == b && a == 0) return (signbit(a) != 0) == context->largest ? right : left;
    return (a > b) == context->largest ? left : right;
  }
  bool picks = isnan(a) || (context->largest ? a > b : a < b);
  bool ties = a == b && (int64_t)left.index < (int64_t)right.index;
  return (leaf_t){.value = picks ? left.value : right.value,
                  .index = picks || ties ? left.index : right.index};
}

/* Whether the value, and the index beside it, conform by the last word. */
static bool all_conform(const question_t *question, const tensor_t *results) {
  for (uint32_t i = 0; i < question->instance->program.result_count; i++) {
    if (!question_decide(question, i, 0, results).conforms) return false;
  }
  return true;
}

/* All NaNs are one value. */
static uint64_t canonical(const element_t *element, uint64_t bits) {
  bool is_nan = element->format != NULL && format_is_nan(element->format, bits);
  return is_nan ? format_from_double(element->format, NAN) : bits;
}

static void print_leaves(const reach_t *reach, const element_t *element, bool of_index,
                         GString *out) {
  int digits = of_index ? 1 : (element->bits + 3) / 4;
  g_string_append(out, " : ");
  for (size_t i = 0; i < reach->count; i++) {
    g_string_append_printf(out, "%0*" PRIx64, digits,
                           of_index ? reach->terms[i].index : reach->terms[i].value);
  }
  if (reach->count == 0) g_string_append(out, "-");
}

static void print_init(const element_t *element, uint64_t bits, GString *out) {
  g_string_append_printf(out, " : %0*" PRIx64, element == NULL ? 1 : (element->bits + 3) / 4, bits);
}

static GString *pick_line(const pick_row_t *row, const reach_t *reach, const element_t *element,
                          bool has_index) {
  GString *line = g_string_new(NULL);
  const char *name = row->element;
  g_string_append_printf(line, "stablehlo.reduce body=%s dims=[0] %s[%zu] ", row->body, name,
                         reach->count);
  if (has_index) {
    g_string_append_printf(line, "i4[%zu] %s[] i4[] -> %s[] i4[]", reach->count, name, name);
  } else {
    g_string_append_printf(line, "%s[] -> %s[]", name, name);
  }
  print_leaves(reach, element, false, line);
  if (has_index) print_leaves(reach, element, true, line);
  print_init(element, reach->init.value, line);
  if (has_index) print_init(NULL, reach->init.index, line);
  return line;
}

static uint64_t draw_value(rng_t *rng, const element_t *element) {
  uint64_t bits = rng_bits(rng) & element_mask(element);
  const format_t *format = element->format;
  if (format == NULL) return bits;
  const double few[] = {0, -0.0, NAN, 1, -1, format_to_double(format, format->largest_bits)};
  if (rng_one_in(rng, 3)) return canonical(element, bits);
  return format_from_double(format, few[rng_below(rng, G_N_ELEMENTS(few))]);
}

static bool check_pick_case(const pick_row_t *row, rng_t *rng, arena_t *arena) {
  const element_t *element = element_named(row->element);
  bool has_index = g_str_has_prefix(row->body, "arg");
  pick_context_t context = {element, strstr(row->body, "max") != NULL, has_index};
  contract_t contract = contract_from(row->contract);
  reach_t reach = {.combine = combine_picks,
                   .context = &context,
                   .in_order = PERMITTED(&contract, order) == ORDER_IN_ORDER,
                   .count = rng_below(rng, TERMS_MAX + 1),
                   .init_max = 2};
  for (size_t i = 0; i < reach.count; i++) {
    reach.terms[i] = (leaf_t){draw_value(rng, element), has_index ? rng_below(rng, 5) : 0};
  }
  reach.init = (leaf_t){draw_value(rng, element), has_index ? rng_below(rng, 5) : 0};
  run(&reach);
  GString *line = pick_line(row, &reach, element, has_index);
  case_t instance;
  failure_t error = {.text = ""};
  const char *violation = NULL;
  status_t status = case_parse((str_t){.data = line->str, .size = line->len}, arena, &instance,
                               &violation, &error);
  if (status != STATUS_OK) g_error("%s: %s", line->str, error.text);
  question_t question;
  g_assert_cmpint(question_make(&instance, &contract, arena, &question), ==, STATUS_OK);
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < instance.program.result_count; i++) {
    results[i] = tensor_make(arena, &instance.program.results[i]);
  }
  bool passes = true;
  for (uint64_t value = 0; value <= element_mask(element); value++) {
    for (uint64_t index = 0; index < (has_index ? 6u : 1u); index++) {
      element_store(element, results[0].data, 0, value);
      if (has_index) element_store(element_named("i4"), results[1].data, 0, index);
      bool conforms = all_conform(&question, results);
      leaf_t leaf = {canonical(element, value), index};
      if (conforms == is_reached(&reach, &contract, leaf)) continue;
      passes = false;
      g_test_message("%s, %s: value %" PRIx64 " index %" PRIu64 " conforms: %d", row->contract,
                     line->str, value, index, conforms);
    }
  }
  clear(&reach);
  g_string_free(line, TRUE);
  return passes;
}

static void test_picks(gconstpointer data) {
  const pick_row_t *row = (const pick_row_t *)data;
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(31);
  int failures = 0;
  for (int i = 0; i < 60 && failures < TOLD; i++) {
    failures += check_pick_case(row, &rng, &arena) ? 0 : 1;
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_assert_cmpint(failures, ==, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(integer_rows); i++) {
    char *path = g_strdup_printf("/reachable/integers/%02zu", i);
    g_test_add_data_func(path, &integer_rows[i], test_integers);
    g_free(path);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(pick_rows); i++) {
    char *path = g_strdup_printf("/reachable/picks/%02zu", i);
    g_test_add_data_func(path, &pick_rows[i], test_picks);
    g_free(path);
  }
  return g_test_run();
}

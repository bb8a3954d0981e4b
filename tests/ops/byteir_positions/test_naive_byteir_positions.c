/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.arg_max, arg_min and one_hot, evaluated naively: by what the words say of an index, not by
 * looking for it. */
#include <inttypes.h>

#include "generated/byteir_positions_permissions.h"
#include "oracles/ops/byteir_positions/byteir_positions.h"
#include "tests/ops/byteir_positions/naive_byteir_positions.h"
#include "tests/ops/naive.h"

/* Both infinities, both zeros, one of each sign and a NaN. */
static const alphabet_t usual = {7,
                                 {{0x7e00, NAN},
                                  {0xfc00, -INFINITY},
                                  {0xbc00, -1},
                                  {0x8000, -0.0},
                                  {0x0000, 0.0},
                                  {0x3c00, 1},
                                  {0x7c00, INFINITY}}};

/* Subnormal numbers and zeros of both signs, and the smallest normal number. */
static const alphabet_t tiny = {6,
                                {{0x8001, -0x1p-24},
                                 {0x8000, -0.0},
                                 {0x0000, 0.0},
                                 {0x0001, 0x1p-24},
                                 {0x03ff, 0x1p-14 - 0x1p-24},
                                 {0x0400, 0x1p-14}}};

/* ---- arg_max and arg_min --------------------------------------------------------------------- */

typedef struct arg_rule {
  bool wants_min;
  bool selects_last;
  const char *contract;
} arg_rule_t;

static bool beats(const arg_rule_t *rule, double a, double b) {
  return rule->wants_min ? a < b : a > b;
}

/* No number beats the one at `index`, and none that stands on the preferred side equals it. */
static bool is_extreme(const arg_rule_t *rule, const double *row, size_t size, size_t index) {
  for (size_t i = 0; i < size; i++) {
    bool is_preferred = rule->selects_last ? i > index : i < index;
    if (beats(rule, row[i], row[index])) return false;
    if (is_preferred && row[i] == row[index]) return false;
  }
  return !isnan(row[index]);
}

static bool is_outermost_nan(const arg_rule_t *rule, const double *row, size_t size, size_t index) {
  for (size_t i = 0; i < size; i++) {
    bool is_preferred = rule->selects_last ? i > index : i < index;
    if (is_preferred && isnan(row[i])) return false;
  }
  return isnan(row[index]);
}

static bool admits_numbers(const arg_rule_t *rule, const contract_t *contract, const double *row,
                           size_t size, size_t index) {
  size_t nans = 0;
  for (size_t i = 0; i < size; i++) nans += isnan(row[i]) ? 1 : 0;
  bool takes_any_nan = PERMITTED(contract, arg_nan) == 1 || PERMITTED(contract, arg_nan) == 3;
  bool ignores_nans = PERMITTED(contract, arg_nan) == 2 || PERMITTED(contract, arg_nan) == 3;
  if (nans == 0) return is_extreme(rule, row, size, index);
  if (PERMITTED(contract, arg_nan) == 0) return is_outermost_nan(rule, row, size, index);
  if (takes_any_nan && isnan(row[index])) return true;
  return ignores_nans && (nans == size || is_extreme(rule, row, size, index));
}

static bool admits(const arg_rule_t *rule, const contract_t *contract, const letter_t *letters,
                   size_t size, size_t index) {
  if (index >= size) return false;
  bool may_flush = PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  for (int flushes = 0; flushes <= (may_flush ? 1 : 0); flushes++) {
    double row[ROW_MAX];
    for (size_t i = 0; i < size; i++) row[i] = picks_read(letters[i], flushes == 1);
    if (admits_numbers(rule, contract, row, size, index)) return true;
  }
  return false;
}

static char *arg_line(const arg_rule_t *rule, const char *values, size_t rows, size_t size) {
  return g_strdup_printf(
      "byteir.arg_%s axis=1 keep_dims=false select_last_index=%s f16[%zu,%zu] ->%s i64[%zu]",
      rule->wants_min ? "min" : "max", rule->selects_last ? "true" : "false", rows, size, values,
      rows);
}

static void complain(const arg_rule_t *rule, const letter_t *row, size_t size, size_t index,
                     bool conforms) {
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < size; i++) g_string_append_printf(text, " %g", row[i].number);
  g_error("arg_%s, last %d, %s:%s: index %zu conforms: %d", rule->wants_min ? "min" : "max",
          rule->selects_last, rule->contract, text->str, index, conforms);
}

/* Every row, and every index and one beyond; returns how many conform. */
static size_t check_indices(const arg_rule_t *rule, const alphabet_t *alphabet, size_t size) {
  arena_t arena;
  arena_init(&arena);
  contract_t contract = picks_contract(rule->contract);
  size_t rows = picks_row_count(alphabet, size), conforming = 0;
  g_autofree char *line = arg_line(rule, "", rows, size);
  case_t instance = picks_case(line, &arena);
  picks_fill(alphabet, size, &instance);
  question_t question;
  g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
  tensor_t results[CASE_RESULTS_MAX];
  picks_make_results(&instance.program, &arena, results);
  for (size_t index = 0; index <= size; index++) {
    for (size_t row = 0; row < rows; row++) {
      element_store(results[0].type.element, results[0].data, row, index);
      letter_t letters[ROW_MAX];
      picks_row(alphabet, row, size, letters);
      bool conforms = picks_conform(&question, results, row);
      bool is_due = admits(rule, &contract, letters, size, index);
      if (conforms != is_due) complain(rule, letters, size, index, conforms);
      conforming += conforms ? 1 : 0;
    }
  }
  arena_deinit(&arena);
  return conforming;
}

/* Every row, every index and every value beside it. */
static void check_pairs(const arg_rule_t *rule, const alphabet_t *alphabet, size_t size) {
  arena_t arena;
  arena_init(&arena);
  contract_t contract = picks_contract(rule->contract);
  size_t rows = picks_row_count(alphabet, size);
  g_autofree char *values = g_strdup_printf(" f16[%zu]", rows);
  g_autofree char *line = arg_line(rule, values, rows, size);
  case_t instance = picks_case(line, &arena);
  picks_fill(alphabet, size, &instance);
  question_t question;
  g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
  tensor_t results[CASE_RESULTS_MAX];
  picks_make_results(&instance.program, &arena, results);
  for (size_t pair = 0; pair < (size + 1) * (alphabet->count + 1); pair++) {
    const letter_t other_nan = {0xfe01, NAN};
    size_t index = pair % (size + 1), letter = pair / (size + 1);
    letter_t value = letter == alphabet->count ? other_nan : alphabet->letters[letter];
    for (size_t row = 0; row < rows; row++) {
      element_store(results[0].type.element, results[0].data, row, value.bits);
      element_store(results[1].type.element, results[1].data, row, index);
      letter_t letters[ROW_MAX];
      picks_row(alphabet, row, size, letters);
      bool conforms = picks_conform(&question, results, row);
      bool is_due = admits(rule, &contract, letters, size, index) &&
                    picks_same_value(&contract, letters[index], value);
      if (conforms != is_due) complain(rule, letters, size, index, conforms);
    }
  }
  arena_deinit(&arena);
}

static void test_every_row(void) {
  for (int which = 0; which < 4; which++) {
    const arg_rule_t rule = {(which & 1) != 0, (which & 2) != 0, "backend"};
    for (size_t size = 1; size <= 6; size++) {
      size_t conforming = check_indices(&rule, &usual, size);
      g_assert_cmpuint(conforming, ==, picks_row_count(&usual, size)); /* One index a row. */
    }
  }
}

static void test_every_pair(void) {
  static const char *const contracts[] = {"spec", "arg_nan=some", "arg_nan=ignored", "arg_nan=any",
                                          "zero_sign=any"};
  for (size_t c = 0; c < G_N_ELEMENTS(contracts); c++) {
    for (int which = 0; which < 4; which++) {
      const arg_rule_t rule = {(which & 1) != 0, (which & 2) != 0, contracts[c]};
      for (size_t size = 1; size <= 4; size++) check_pairs(&rule, &usual, size);
    }
  }
}

static void test_flushing(void) {
  static const char *const contracts[] = {"backend", "ftz=inputs", "ftz=outputs", "ftz=both",
                                          "ftz=both,zero_sign=any"};
  for (size_t c = 0; c < G_N_ELEMENTS(contracts); c++) {
    for (int which = 0; which < 4; which++) {
      const arg_rule_t rule = {(which & 1) != 0, (which & 2) != 0, contracts[c]};
      for (size_t size = 1; size <= 3; size++) check_pairs(&rule, &tiny, size);
    }
  }
}

/* ---- Other types, axes and lengths ----------------------------------------------------------- */

/* A number with a sign as large as any: floats as they are, integers exactly. */
static naive_value_t value_at(const tensor_t *tensor, size_t element) {
  return naive_load(tensor, element, tensor->type.element);
}

static bool value_beats(const program_t *program, naive_value_t a, naive_value_t b) {
  bool wants_min = strcmp(program->op->name, "byteir.arg_min") == 0;
  naive_value_t left = wants_min ? b : a, right = wants_min ? a : b;
  if (program->operands[0].element->format == NULL) return left.integer > right.integer;
  return left.real > right.real || (isnan(a.real) && !isnan(b.real));
}

static void evaluate_arg(const case_t *instance, tensor_t *results) {
  const program_t *program = &instance->program;
  const tensor_t *operand = &instance->operands[0];
  const byteir_arg_attributes_t *attributes = byteir_arg_attributes(program);
  uint32_t axis = byteir_arg_axis(program), last = program->result_count - 1;
  size_t outputs = type_element_count(&program->results[last]), seen = 0;
  for (size_t first = 0; first < type_element_count(&operand->type); first++) {
    int64_t place[TYPE_RANK_MAX];
    check_unravel(&operand->type, first, place);
    if (place[axis] != 0) continue;
    size_t best = first;
    int64_t best_index = 0;
    for (int64_t i = 1; i < operand->type.dims[axis]; i++) {
      place[axis] = i;
      size_t next = check_ravel(&operand->type, place);
      naive_value_t a = value_at(operand, next), b = value_at(operand, best);
      bool loses = value_beats(program, b, a);
      if (loses || (!value_beats(program, a, b) && attributes->select_last_index == 0)) continue;
      best = next;
      best_index = i;
    }
    if (last == 1) {
      uint64_t bits = element_load(operand->type.element, operand->data, best);
      element_store(operand->type.element, results[0].data, seen, bits);
    }
    element_store(results[last].type.element, results[last].data, seen, (uint64_t)best_index);
    seen++;
  }
  g_assert_cmpuint(seen, ==, outputs);
}

/* Drawn cases: the naive result conforms and is what the fast set holds; any other index does not,
 * beside a value that is not its own or its own. */
static void check_drawn_arg(const char *name) {
  const draw_limits_t limits = {.rank_max = 4, .elements_max = 300, .terms_max = 64};
  const op_t *op = check_find_op(name);
  const contract_t contract = contract_backend();
  rng_t rng = rng_make(0x9a);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < 4000; i++) {
    arena_reset(&arena);
    program_t program;
    op->draw(&rng, &limits, &arena, &program);
    case_t instance = case_make(&arena, &program);
    op->draw_edges(&rng, &instance);
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
    tensor_t results[CASE_RESULTS_MAX];
    picks_make_results(&program, &arena, results);
    evaluate_arg(&instance, results);
    const tensor_t *indices = &results[program.result_count - 1];
    const element_t *element = indices->type.element;
    for (size_t output = 0; output < type_element_count(&indices->type); output++) {
      uint64_t index = element_load(element, indices->data, output);
      g_assert_true(picks_conform(&question, results, output));
      g_assert_true(
          accept_holds(&question.accepts[program.result_count - 1], element, output, index));
      element_store(element, indices->data, output,
                    (index + 1 + rng_below(&rng, 3)) & element_mask(element));
      g_assert_false(picks_conform(&question, results, output));
      element_store(element, indices->data, output, index);
    }
  }
  arena_deinit(&arena);
}

static void test_drawn(void) {
  check_drawn_arg("byteir.arg_max");
  check_drawn_arg("byteir.arg_min");
}

/* ---- one_hot --------------------------------------------------------------------------------- */

typedef struct one_hot_row {
  const char *from;
  const char *to;
  const char *on;
  const char *off;
  uint64_t on_bits;
  uint64_t off_bits;
} one_hot_row_t;

static const one_hot_row_t one_hot_rows[] = {
    {"i8", "f32", "3f800000", "00000000", 0x3f800000, 0},
    {"i8", "f16", "7e00", "0000", 0x7e00, 0},
    {"ui8", "f16", "7c00", "fc00", 0x7c00, 0xfc00},
    {"i4", "bf16", "8000", "0000", 0x8000, 0},
    {"i8", "i1", "0", "1", 0, 1},
    {"ui4", "i64", "8000000000000000", "7fffffffffffffff", UINT64_C(1) << 63, INT64_MAX},
    {"i2", "f8E5M2", "7b", "fb", 0x7b, 0xfb},
};

static bool is_class(__int128 index, __int128 class_, __int128 depth, bool wraps) {
  return index == class_ || (wraps && index < 0 && index + depth == class_);
}

/* All indices of a narrow type: every element is what the index says, and nothing else. */
static void check_one_hot(const one_hot_row_t *row, int64_t depth, bool is_inner,
                          const char *contract_text) {
  arena_t arena;
  arena_init(&arena);
  contract_t contract = picks_contract(contract_text);
  const element_t *from = element_named(row->from), *to = element_named(row->to);
  int64_t count = (int64_t)element_mask(from) + 1;
  g_autofree char *line = g_strdup_printf(
      "byteir.one_hot depth=%" PRId64 " axis=%d on_value=%s off_value=%s %s[%" PRId64
      "] -> %s[%" PRId64 ",%" PRId64 "]",
      depth, is_inner ? 1 : 0, row->on, row->off, row->from, count, row->to,
      is_inner ? count : depth, is_inner ? depth : count);
  case_t instance = picks_case(line, &arena);
  for (int64_t i = 0; i < count; i++) {
    element_store(from, instance.operands[0].data, (size_t)i, (uint64_t)i);
  }
  question_t question;
  g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
  tensor_t results[CASE_RESULTS_MAX];
  picks_make_results(&instance.program, &arena, results);
  for (int64_t i = 0; i < count; i++) {
    for (int64_t class_ = 0; class_ < depth; class_++) {
      size_t component = (size_t)(is_inner ? i * depth + class_ : class_ * count + i);
      bool is_on = is_class(naive_integer_of(from, (uint64_t)i), class_, depth,
                            PERMITTED(&contract, one_hot_negative) == 1);
      uint64_t due = is_on ? row->on_bits : row->off_bits;
      element_store(to, results[0].data, component, due);
      g_assert_true(picks_conform(&question, results, component));
      g_assert_true(accept_holds(&question.accepts[0], to, component, due));
      uint64_t other = is_on ? row->off_bits : row->on_bits;
      element_store(to, results[0].data, component, other);
      g_assert_false(picks_conform(&question, results, component));
      element_store(to, results[0].data, component, due ^ 1);
      bool is_nan = to->format != NULL && format_is_nan(to->format, due);
      g_assert_cmpint(picks_conform(&question, results, component), ==, is_nan);
    }
  }
  arena_deinit(&arena);
}

static void test_one_hot(void) {
  static const int64_t depths[] = {0, 1, 2, 3, 8, 127, 128, 129, 255, 256};
  static const char *const contracts[] = {"spec", "backend", "one_hot_negative=wrap"};
  for (size_t i = 0; i < G_N_ELEMENTS(one_hot_rows); i++) {
    for (size_t d = 0; d < G_N_ELEMENTS(depths); d++) {
      for (size_t c = 0; c < G_N_ELEMENTS(contracts); c++) {
        check_one_hot(&one_hot_rows[i], depths[d], (d + c) % 2 == 1, contracts[c]);
      }
    }
  }
}

/* Both ends of 64-bit types, for which there is no larger type to think in. */
static void test_one_hot_wide(void) {
  static const struct {
    const char *line;
    uint64_t hot; /* The class that is on where negative indices wrap, or 3. */
  } rows[] = {
      {"byteir.one_hot depth=3 axis=0 on_value=1 off_value=0 i64[] -> i1[3] : ffffffffffffffff", 2},
      {"byteir.one_hot depth=3 axis=0 on_value=1 off_value=0 i64[] -> i1[3] : fffffffffffffffd", 0},
      {"byteir.one_hot depth=3 axis=0 on_value=1 off_value=0 i64[] -> i1[3] : fffffffffffffffc", 3},
      {"byteir.one_hot depth=3 axis=0 on_value=1 off_value=0 i64[] -> i1[3] : 8000000000000000", 3},
      {"byteir.one_hot depth=3 axis=0 on_value=1 off_value=0 i64[] -> i1[3] : 7fffffffffffffff", 3},
      {"byteir.one_hot depth=3 axis=0 on_value=1 off_value=0 ui64[] -> i1[3] : ffffffffffffffff",
       3},
      {"byteir.one_hot depth=3 axis=0 on_value=1 off_value=0 ui64[] -> i1[3] : 8000000000000001",
       3},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows) * 2; i++) {
    bool wraps = i % 2 == 1;
    const contract_t contract = picks_contract(wraps ? "one_hot_negative=wrap" : "backend");
    case_t instance;
    status_t status = case_parse(str_from(rows[i / 2].line), &arena, &instance, NULL, NULL);
    g_assert_cmpint(status, ==, STATUS_OK);
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
    tensor_t results[CASE_RESULTS_MAX];
    picks_make_results(&instance.program, &arena, results);
    for (size_t class_ = 0; class_ < 3; class_++) {
      bool is_on = wraps && class_ == rows[i / 2].hot;
      for (uint64_t bit = 0; bit < 2; bit++) {
        element_store(results[0].type.element, results[0].data, class_, bit);
        g_assert_cmpint(picks_conform(&question, results, class_), ==, is_on == (bit == 1));
      }
    }
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_byteir_positions/every_row", test_every_row);
  g_test_add_func("/naive_byteir_positions/every_pair", test_every_pair);
  g_test_add_func("/naive_byteir_positions/flushing", test_flushing);
  g_test_add_func("/naive_byteir_positions/drawn", test_drawn);
  g_test_add_func("/naive_byteir_positions/one_hot", test_one_hot);
  g_test_add_func("/naive_byteir_positions/one_hot_wide", test_one_hot_wide);
  return g_test_run();
}

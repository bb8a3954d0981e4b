/* SPDX-License-Identifier: Apache-2.0 */
/* The corpus lines whose conforming bits are known: the oracle takes these bits and refuses their
 * neighbours. */
#include "tests/ops/oracle_checks.h"

enum { NEIGHBOURS_MAX = 4 };

/* Patterns next to `bits`, none of which means the same. */
static size_t float_neighbours(const format_t *format, uint64_t bits,
                               uint64_t out[NEIGHBOURS_MAX]) {
  size_t count = 0;
  if (format_is_nan(format, bits)) {
    out[count++] = 0;
    out[count++] = format->largest_bits;
    return count;
  }
  uint64_t up = format_next_up(format, bits);
  uint64_t down = format_next_down(format, bits);
  if (up != bits) out[count++] = up;
  if (down != bits) out[count++] = down;
  if (format_is_zero(format, bits) && format_has_negative_zero(format)) {
    uint64_t sign = (uint64_t)1 << (format->bits - 1);
    bool is_listed = up == (bits ^ sign) || down == (bits ^ sign);
    if (!is_listed) out[count++] = bits ^ sign;
  }
  if (format_has_nan(format)) {
    number_t nan = {.kind = NUMBER_NAN};
    out[count++] = format_encode(format, nan, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  }
  return count;
}

static size_t neighbours(const element_t *element, uint64_t bits, uint64_t out[NEIGHBOURS_MAX]) {
  if (element->format != NULL) return float_neighbours(element->format, bits, out);
  uint64_t mask = element_mask(element);
  out[0] = (bits + 1) & mask;
  out[1] = (bits - 1) & mask;
  return element->kind == ELEMENT_BOOLEAN ? 1 : 2;
}

/* No change of one component to a neighbour conforms. */
static size_t check_unique(const question_t *question, const tensor_t *results, const char *where) {
  const program_t *program = &question->instance->program;
  size_t refused = 0;
  for (uint32_t r = 0; r < program->result_count; r++) {
    const element_t *element = program->results[r].element;
    for (size_t i = 0; i < type_component_count(&program->results[r]); i++) {
      uint64_t bits = element_load(element, results[r].data, i);
      uint64_t others[NEIGHBOURS_MAX];
      size_t count = neighbours(element, bits, others);
      for (size_t n = 0; n < count; n++) {
        element_store(element, results[r].data, i, others[n]);
        if (question_conforms(question, results, NULL)) {
          g_error("%s: result %u component %zu: 0x%" G_GINT64_MODIFIER "x conforms too", where, r,
                  i, others[n]);
        }
        refused++;
      }
      element_store(element, results[r].data, i, bits);
    }
  }
  return refused;
}

/* What stands after '=': nothing, '?', '!', "!wide", where it is permitted to compute in a type of
 * 16 bits, unless the contract says intermediate=wide, or "!backend", where the specification says
 * nothing and `backend` expects what practice agrees on. */
typedef enum expectation {
  EXPECT_ONLY,
  EXPECT_AMONG,
  EXPECT_REFUSED,
  EXPECT_REFUSED_BY_WIDE,
  EXPECT_REFUSED_BY_BACKEND,
  EXPECTATION_COUNT
} expectation_t;

static expectation_t parse_expectation(scan_t *scan) {
  g_assert_true(scan_accept(scan, "="));
  expectation_t expectation = scan_accept(scan, "?")          ? EXPECT_AMONG
                              : scan_accept(scan, "!wide")    ? EXPECT_REFUSED_BY_WIDE
                              : scan_accept(scan, "!backend") ? EXPECT_REFUSED_BY_BACKEND
                              : scan_accept(scan, "!")        ? EXPECT_REFUSED
                                                              : EXPECT_ONLY;
  g_assert_true(scan_accept(scan, " "));
  return expectation;
}

static void parse_results(scan_t *scan, const program_t *program, arena_t *arena, const char *where,
                          tensor_t results[CASE_RESULTS_MAX]) {
  failure_t error;
  for (uint32_t r = 0; r < program->result_count; r++) {
    if (r > 0) g_assert_true(scan_accept(scan, " : "));
    status_t status = tensor_parse_data(scan, &program->results[r], arena, &results[r], &error);
    if (status != STATUS_OK) g_error("%s: %s", where, error.text);
  }
  g_assert_true(scan_at_end(scan));
}

/* Where the oracle answers with an error bound, which may hold neighbours of the one right answer,
 * even under an in-order contract: products that may have to be rounded, and sums that saturate. */
static bool is_judged_by_bound(const program_t *program) {
  if (program->operand_count == 0) return false;
  const format_t *from = program->operands[0].element->format;
  const format_t *to = program->results[0].element->format;
  if (from == NULL || to == NULL) return false;
  bool has_products = strcmp(program->op->name, "stablehlo.dot_general") == 0 ||
                      strcmp(program->op->name, "stablehlo.convolution") == 0;
  int from_quantum = from->exponent_min - from->precision + 1;
  int to_quantum = to->exponent_min - to->precision + 1;
  bool products_round = 2 * from->precision > to->precision || 2 * from_quantum < to_quantum;
  return to->specials == FORMAT_FINITE || (has_products && products_round);
}

typedef struct tally {
  size_t cases;
  size_t expectations[EXPECTATION_COUNT];
  size_t refused_neighbours;
  size_t without_wrong;   /* Cases of which no result is said to be wrong, ... */
  char last_without[512]; /* ... and the last of them. */
} tally_t;

static void check_expectation(const case_t *instance, const char *line, arena_t *arena,
                              const char *where, tally_t *tally) {
  scan_t scan = scan_make(str_from(line));
  expectation_t expectation = parse_expectation(&scan);
  tensor_t results[CASE_RESULTS_MAX];
  parse_results(&scan, &instance->program, arena, where, results);
  tally->expectations[expectation]++;
  contract_t wide = contract_backend();
  PERMITTED(&wide, intermediate) = INTERMEDIATE_WIDE;
  const contract_t contracts[] = {contract_spec(), contract_backend(), wide};
  static const char *const names[] = {"spec", "backend", "intermediate=wide"};
  static const size_t first_to_refuse[EXPECTATION_COUNT] = {[EXPECT_ONLY] = 3,
                                                            [EXPECT_AMONG] = 3,
                                                            [EXPECT_REFUSED_BY_WIDE] = 2,
                                                            [EXPECT_REFUSED_BY_BACKEND] = 1};
  for (size_t c = 0; c < G_N_ELEMENTS(contracts); c++) {
    question_t question;
    status_t status = question_make(instance, &contracts[c], arena, &question);
    g_assert_cmpint(status, ==, STATUS_OK);
    GString *reason = g_string_new(NULL);
    bool conforms = question_conforms(&question, results, reason);
    bool is_refused = c >= first_to_refuse[expectation];
    if (conforms == is_refused) {
      g_error("%s: %s%s under contract %s: %s", where, line,
              conforms ? " conforms" : " does not conform", names[c], reason->str);
    }
    g_string_free(reason, TRUE);
    bool is_exact = PERMITTED(&contracts[c], order) == ORDER_IN_ORDER &&
                    !is_judged_by_bound(&instance->program);
    if (expectation != EXPECT_ONLY || !is_exact) continue;
    tally->refused_neighbours += check_unique(&question, results, where);
  }
}

/* A case has ended, of whose results `wrong` are refused. */
static void note_case(const char *line, size_t wrong, tally_t *tally) {
  if (line == NULL || wrong > 0) return;
  tally->without_wrong++;
  g_strlcpy(tally->last_without, line, sizeof tally->last_without);
}

static size_t count_refused(const tally_t *tally) {
  return tally->expectations[EXPECT_REFUSED] + tally->expectations[EXPECT_REFUSED_BY_WIDE] +
         tally->expectations[EXPECT_REFUSED_BY_BACKEND];
}

static void check_file(const char *path, tally_t *tally) {
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  arena_t arena;
  arena_init(&arena);
  case_t instance = {0};
  const char *line = NULL;
  size_t refused = count_refused(tally);
  for (size_t i = 0; lines[i] != NULL; i++) {
    g_autofree char *where = g_strdup_printf("%s:%zu", path, i + 1);
    if (lines[i][0] == '\0' || lines[i][0] == '#') continue;
    if (lines[i][0] == '=') {
      g_assert_nonnull(instance.program.op);
      check_expectation(&instance, lines[i], &arena, where, tally);
      continue;
    }
    note_case(line, count_refused(tally) - refused, tally);
    refused = count_refused(tally);
    line = lines[i];
    arena_reset(&arena);
    failure_t error;
    status_t status = case_parse(str_from(lines[i]), &arena, &instance, NULL, &error);
    if (status != STATUS_OK) g_error("%s: %s", where, error.text);
    tally->cases++;
  }
  note_case(line, count_refused(tally) - refused, tally);
  arena_deinit(&arena);
}

static void check_folder(const char *folder, tally_t *tally) {
  g_autofree char *path = g_build_filename(ASSAY_SOURCE_DIR, "corpus", folder, NULL);
  GDir *directory = g_dir_open(path, 0, NULL);
  g_assert_nonnull(directory);
  for (const char *name = NULL; (name = g_dir_read_name(directory)) != NULL;) {
    if (!g_str_has_suffix(name, ".cases")) continue;
    g_autofree char *file = g_build_filename(path, name, NULL);
    check_file(file, tally);
  }
  g_dir_close(directory);
  g_test_message(
      "%s: %zu cases; results: %zu unique (%zu neighbours refused), %zu among others, "
      "%zu refused, %zu by contract backend, %zu by intermediate=wide",
      folder, tally->cases, tally->expectations[EXPECT_ONLY], tally->refused_neighbours,
      tally->expectations[EXPECT_AMONG], tally->expectations[EXPECT_REFUSED],
      tally->expectations[EXPECT_REFUSED_BY_BACKEND], tally->expectations[EXPECT_REFUSED_BY_WIDE]);
}

static void test_spec(void) {
  tally_t tally = {0};
  check_folder("spec", &tally);
  size_t only = tally.expectations[EXPECT_ONLY], among = tally.expectations[EXPECT_AMONG];
  g_assert_cmpuint(tally.cases, >=, 100);
  g_assert_cmpuint(only + among, ==, tally.cases);
  g_assert_cmpuint(among, <, tally.cases / 6); /* Of functions whose values no format holds. */
}

static void test_directed(void) {
  tally_t tally = {0};
  check_folder("directed", &tally);
  g_assert_cmpuint(tally.cases, >=, 80);
  g_assert_cmpuint(tally.expectations[EXPECT_ONLY], >=, 50);
  g_assert_cmpuint(tally.expectations[EXPECT_AMONG], >=, 30);
  g_assert_cmpuint(tally.expectations[EXPECT_REFUSED], >=, 30);
}

/* What released backends were found to return: no conforming one may, and the cases stay for ever.
 * Of those that differ from run to run each result may conform: that it is another one is wrong. */
static void test_found(void) {
  tally_t tally = {0};
  check_folder("found", &tally);
  g_assert_cmpuint(tally.cases, >=, 25);
  g_assert_cmpuint(tally.without_wrong, ==, 1); /* A batch norm of onnxruntime.cases. */
  g_assert_true(g_str_has_prefix(tally.last_without, "stablehlo.batch_norm_training "));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/corpus/spec", test_spec);
  g_test_add_func("/corpus/directed", test_directed);
  g_test_add_func("/corpus/found", test_found);
  return g_test_run();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Modules with data, out and in again: for each op, what checked_module_print() prints of drawn
 * programs is read back as the same case with the same expected results, bit for bit. */
#include "harness/gen/gen.h"
#include "harness/kinds/checked_module.h"
#include "harness/model/op.h"
#include "tests/exec/mlir_import_test.h"

#ifdef ASSAY_SANITIZE
enum { PROGRAMS = 6 };
#else
enum { PROGRAMS = 24 };
#endif

/* Any bits that the type has: of quantized types those of their storage range. */
static tensor_t draw_results(rng_t *rng, const type_t *type, arena_t *arena) {
  tensor_t result = tensor_make(arena, type);
  const element_t *element = type->element;
  for (size_t i = 0; i < type_component_count(type); i++) {
    uint64_t bits = rng_bits(rng) & element_mask(element);
    if (type->quantization != NULL) {
      uint64_t steps =
          (uint64_t)(type->quantization->storage_max - type->quantization->storage_min);
      bits =
          ((uint64_t)type->quantization->storage_min + bits % (steps + 1)) & element_mask(element);
    }
    element_store(element, result.data, i, bits);
  }
  return result;
}

static void check_data(const char *line, const tensor_t *tensor, const char *what,
                       const char *module) {
  g_autoptr(GString) digits = g_string_new(NULL);
  tensor_print_data(tensor, digits);
  if (strcmp(digits->str, line) != 0) {
    g_error("%s: %s became %s\n%s", what, digits->str, line, module);
  }
}

/* A body and counts of components have two spellings, and one module. */
static void check_line(const char *line, const program_t *program, arena_t *arena) {
  g_autoptr(GString) own = g_string_new(NULL);
  program_print(program, own);
  if (strcmp(own->str, line) == 0) return;
  program_t again;
  const char *violation;
  failure_t error = {0};
  if (program_parse(str_from(line), arena, &again, &violation, &error) != STATUS_OK) {
    g_error("%s became %s: %s", own->str, line, error.text);
  }
  g_autoptr(GString) module = g_string_new(NULL);
  g_autoptr(GString) module_again = g_string_new(NULL);
  program->op->print_mlir(program, module);
  again.op->print_mlir(&again, module_again);
  if (!g_string_equal(module, module_again)) g_error("%s became %s", own->str, line);
}

/* The importer's lines, or NULL if jaxlib's verifier refuses the module: its opinions are
 * test_verifier.c's matter. */
static char **read_back(const char *module) {
  mlir_graph_t read;
  failure_t error = {0};
  status_t status = mlir_importer_read_program(importer, str_from(module), NULL, &read, &error);
  if (status == STATUS_OK) {
    char **lines = g_strsplit(read.text, "\n", -1);
    mlir_graph_free(&read);
    return lines;
  }
  bool is_ours = strstr(error.text, "known here") != NULL || strstr(error.text, "cases") != NULL ||
                 strstr(error.text, "check") != NULL;
  if (status != STATUS_INVALID || is_ours) g_error("%s\n%s", error.text, module);
  g_test_message("not read: %s", error.text);
  return NULL;
}

/* Whether the module could be read.  Of a program whose module has no data, the program alone. */
static bool check_case(const case_t *instance, rng_t *rng, arena_t *arena, bool *out_has_data) {
  const program_t *program = &instance->program;
  tensor_t results[CASE_RESULTS_MAX];
  checked_result_t checked[CASE_RESULTS_MAX] = {0};
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = draw_results(rng, &program->results[i], arena);
    checked[i] = (checked_result_t){.expected = &results[i], .ulps = rng_below(rng, 3)};
  }
  g_autoptr(GString) module = g_string_new(NULL);
  failure_t error = {0};
  *out_has_data = checked_module_print(instance, checked, module, &error) == STATUS_OK;
  if (!*out_has_data) {
    g_string_truncate(module, 0);
    program->op->print_mlir(program, module);
  }
  g_auto(GStrv) lines = read_back(module->str);
  if (lines == NULL) return false;
  check_line(lines[0], program, arena);
  for (uint32_t i = 0; *out_has_data && i < program->operand_count; i++) {
    check_data(lines[1 + i], &instance->operands[i], "an operand", module->str);
  }
  for (uint32_t i = 0; *out_has_data && i < program->result_count; i++) {
    check_data(lines[1 + program->operand_count + i], &results[i], "a result", module->str);
  }
  return true;
}

/* As `assay run` draws them: what only the RFC knows has no place in a module. */
static void draw_program(rng_t *rng, const op_t *op, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  const contract_t contract = contract_backend();
  do {
    op->draw(rng, limits, arena, out_program);
  } while (program_broken_under(out_program, program_broken(out_program), &contract) != NULL);
}

static void test_op(gconstpointer data) {
  if (skips()) return;
  const op_t *op = data;
  static const draw_limits_t limits = {.rank_max = 4, .elements_max = 128, .terms_max = 32};
  rng_t rng = rng_make(5);
  int read = 0, with_data = 0;
  for (int i = 0; i < PROGRAMS; i++) {
    arena_t arena;
    arena_init(&arena);
    program_t program;
    draw_program(&rng, op, &limits, &arena, &program);
    case_t instance = case_make(&arena, &program);
    gen_data_in_regime(&rng, (gen_regime_t)rng_below(&rng, REGIME_COUNT), &instance);
    gen_settle(&rng, &instance);
    bool has_data;
    read += check_case(&instance, &rng, &arena, &has_data);
    with_data += has_data;
    arena_deinit(&arena);
  }
  g_test_message("%s: %d of %d read, %d with data", op->name, read, PROGRAMS, with_data);
  g_assert_cmpint(read, ==, PROGRAMS);
  g_assert_true(with_data == PROGRAMS || with_data == 0);
}

/* Of these alone, all others have data: their modules are what one process runs. */
static void test_without_data(void) {
  int without = 0;
  rng_t rng = rng_make(1);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    static const draw_limits_t limits = {.rank_max = 2, .elements_max = 16, .terms_max = 4};
    arena_t arena;
    arena_init(&arena);
    program_t program;
    (*op)->draw(&rng, &limits, &arena, &program);
    case_t instance = case_make(&arena, &program);
    gen_data_in_regime(&rng, REGIME_uniform, &instance);
    gen_settle(&rng, &instance);
    checked_result_t nothing[CASE_RESULTS_MAX] = {0};
    g_autoptr(GString) module = g_string_new(NULL);
    failure_t error = {0};
    without += checked_module_print(&instance, nothing, module, &error) != STATUS_OK;
    arena_deinit(&arena);
  }
  g_assert_cmpint(without, ==, 2);
}

/* Programs of several steps, which are read as such again: a constant has the type of its bits in
 * MLIR. */
static void test_several(gconstpointer data) {
  if (skips()) return;
  const op_t *op = data;
  static const draw_limits_t limits = {.rank_max = 4, .elements_max = 128, .terms_max = 32};
  rng_t rng = rng_make(5);
  for (int i = 0; i < PROGRAMS; i++) {
    arena_t arena;
    arena_init(&arena);
    program_t program;
    draw_program(&rng, op, &limits, &arena, &program);
    g_autoptr(GString) module = g_string_new(NULL);
    program.op->print_mlir(&program, module);
    g_auto(GStrv) lines = read_back(module->str);
    g_assert_nonnull(lines);
    check_line(lines[0], &program, &arena);
    arena_deinit(&arena);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  open_importer();
  g_test_add_func("/mlir-cases/without-data", test_without_data);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    g_autofree char *name = g_strdup_printf("/mlir-cases/%s", (*op)->name);
    g_test_add_data_func(name, *op, test_op);
  }
  for (const op_t *const *op = op_compound(); *op != NULL; op++) {
    g_autofree char *name = g_strdup_printf("/mlir-cases/%s", (*op)->name);
    g_test_add_data_func(name, *op, test_several);
  }
  int status = g_test_run();
  mlir_importer_close(importer);
  return status;
}

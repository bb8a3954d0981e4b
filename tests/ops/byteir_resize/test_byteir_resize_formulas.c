/* SPDX-License-Identifier: Apache-2.0 */
/* Each formula of linear resizes encloses its own models: their results conform by that formula
 * alone, without those before it in the order of permission resize_linear. */
#include "harness/gen/gen.h"
#include "oracles/ops/byteir_resize/linear.h"
#include "oracles/ops/byteir_resize/simulate.h"
#include "oracles/oracle.h"

#ifdef ASSAY_SANITIZE
enum { PROGRAMS = 800, ELEMENTS_MAX = 64 };
#else
enum { PROGRAMS = 4000, ELEMENTS_MAX = 64 };
#endif

static bool holds(const case_t *instance, const contract_t *contract, resize_formula_t formula,
                  size_t component, uint64_t bits, arena_t *arena) {
  resize_variant_t variants[RESIZE_VARIANTS_MAX];
  size_t count = resize_variants(instance, contract, formula, formula, variants);
  bool is_held = false;
  for (size_t i = 0; i < count && !is_held; i++) {
    arena_mark_t mark = arena_mark(arena);
    const oracle_call_t call = {.instance = instance, .contract = contract, .arena = arena};
    is_held = resize_linear_holds(&call, &variants[i], component, bits);
    arena_rewind(arena, mark);
  }
  return is_held;
}

static int find_carefully(const case_t *instance, const contract_t *contract,
                          const tensor_t *result, arena_t *arena) {
  for (int formula = 0; formula < RESIZE_FORMULA_COUNT; formula++) {
    bool are_held = true;
    for (size_t i = 0; i < type_element_count(&result->type) && are_held; i++) {
      uint64_t bits = element_load(result->type.element, result->data, i);
      are_held = holds(instance, contract, (resize_formula_t)formula, i, bits, arena);
    }
    if (are_held) return formula;
  }
  return RESIZE_FORMULA_COUNT;
}

/* The formula that explains results is found by quick sets, by those of the case if they are given,
 * and is that which the exact side finds. */
static void check_found(const case_t *instance, const contract_t *contract, const tensor_t *result,
                        arena_t *arena) {
  const oracle_t *oracle = oracle_find(instance->program.op);
  failure_t error = {.text = ""};
  const oracle_call_t call = {.instance = instance,
                              .contract = contract,
                              .results = result,
                              .arena = arena,
                              .error = &error};
  accept_t accepts[CASE_RESULTS_MAX];
  if (oracle->accept(&call, accepts) != STATUS_OK) return;
  const int careful = find_carefully(instance, contract, result, arena);
  for (int has_sets = 0; has_sets < 2; has_sets++) {
    uint8_t formula;
    bool is_found;
    status_t status = oracle->find_formula(&call, has_sets ? accepts : NULL, &formula, &is_found);
    g_assert_cmpint(status, ==, STATUS_OK);
    g_assert_cmpint(is_found ? formula : RESIZE_FORMULA_COUNT, ==, careful);
  }
}

static void check_model(const case_t *instance, const implementation_model_t *schedule,
                        resize_formula_t formula, arena_t *arena) {
  const contract_t contract = contract_backend();
  const type_t *type = &instance->program.results[0];
  tensor_t result = tensor_make(arena, type);
  failure_t error = {.text = ""};
  const oracle_call_t call = {.instance = instance, .arena = arena, .error = &error};
  g_assert_cmpint(resize_simulate(&call, schedule, &result), ==, STATUS_OK);
  for (size_t i = 0; i < type_element_count(type); i++) {
    uint64_t bits = element_load(type->element, result.data, i);
    if (holds(instance, &contract, formula, i, bits, arena)) continue;
    GString *line = g_string_new(NULL);
    case_print(instance, line);
    g_error("%s, tree %d, seed %" G_GUINT64_FORMAT ", component %zu: %" G_GINT64_MODIFIER "x\n%s",
            schedule->formula, schedule->order.kind, schedule->seed, i, bits, line->str);
  }
  if (schedule->seed % 7 != 0) return; /* It takes ten times as long. */
  check_found(instance, &contract, &result, arena);
  size_t changed = type_element_count(type);
  if (changed-- == 0) return;
  uint64_t bits = element_load(type->element, result.data, changed);
  element_store(type->element, result.data, changed, (bits + 1) & element_mask(type->element));
  check_found(instance, &contract, &result, arena);
}

static void test_formula(gconstpointer data) {
  resize_formula_t formula = (resize_formula_t)GPOINTER_TO_INT(data);
  const op_t *op = op_find(str_from("byteir.resize"));
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  options.limits.elements_max = ELEMENTS_MAX;
  rng_t rng = rng_make(0xf0);
  arena_t arena;
  arena_init(&arena);
  size_t checked = 0;
  for (uint64_t i = 0; i < PROGRAMS; i++) {
    arena_reset(&arena);
    program_t program;
    const char *broken;
    gen_program(&rng, op, &options, &arena, &program, &broken);
    case_t instance = case_make(&arena, &program);
    gen_data(&rng, &instance);
    if (byteir_resize_attributes(&program)->mode == RESIZE_NEAREST) continue;
    implementation_model_t schedule = schedule_plain();
    schedule.formula = contract_spelling("resize_linear", (uint8_t)formula);
    schedule.fused = i % 4 == 1;
    schedule.other_way = i % 4 == 2;
    schedule.order.kind = i % 4 == 3 ? SUM_RANDOM : SUM_SEQUENTIAL;
    schedule.seed = i;
    check_model(&instance, &schedule, formula, &arena);
    checked++;
  }
  g_test_message("%zu programs", checked);
  g_assert_cmpuint(checked, >, PROGRAMS / 3);
  arena_deinit(&arena);
}

/* Two elements and half their sum, as ONNX Runtime returns them where two dimensions of one element
 * stand beside: eight products of an eighth and an element each, added one after the other. */
static void test_image(void) {
  const char *line =
      "byteir.resize target_mode=size mode=linear coordinate_transformation_mode=align_corners "
      "f32[2,1,1] i64[3] -> f32[3,1,1] : 3fce76e44162eac6 : "
      "000000000000000300000000000000010000000000000001";
  const uint32_t returned[] = {0x3fce76e4, 0x40fcb9a4, 0x4162eac7};
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error;
  status_t status = case_parse(str_from(line), &arena, &instance, NULL, &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  for (size_t i = 0; i < G_N_ELEMENTS(returned); i++) {
    g_assert_true(holds(&instance, &contract, RESIZE_PRODUCTS, i, returned[i], &arena));
    bool is_copy = i == 0;
    g_assert_true(holds(&instance, &contract, RESIZE_SEPARABLE, i, returned[i], &arena) == is_copy);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (int i = 0; i < RESIZE_FORMULA_COUNT; i++) {
    g_autofree char *path = g_strdup_printf("/byteir_resize_formulas/%s",
                                            contract_spelling("resize_linear", (uint8_t)i));
    g_test_add_data_func(path, GINT_TO_POINTER(i), test_formula);
  }
  g_test_add_func("/byteir_resize_formulas/image", test_image);
  return g_test_run();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes (oracle_t.enclose) without a contract: those of exact results.  On drawn programs of every
 * op that encloses, the exact reference lies within the box, which is narrow; a quantized result
 * that is exact conforms where integers are rescaled exactly. */
#include "tests/campaign/sets/box_drawing.h"
#include "tests/campaign/sets/box_escapes.h"

/* ---- References ------------------------------------------------------------------------------ */

typedef struct exact_counts {
  uint64_t references, stored, misses;
} exact_counts_t;

/* The reference is x*, rounded; a box of points is as wide as its sums' bounds, at the most. */
static void check_reference(const box_drawing_t *drawing, const accept_t *accept, size_t component,
                            box_t box, exact_counts_t *counts) {
  double reference = accept->reference[component];
  if (!(fabs(reference) > 0x1p-960 && fabs(reference) < 0x1p+960)) return;
  double scale = fabs(reference);
  if (accept->magnitude != NULL) scale = fmax(scale, accept->magnitude[component]);
  counts->references++;
  double off = drawing->op->is_composite ? reference_error(accept, component) : 0;
  bool is_held = reference + off >= box_below(box.low) && reference - off <= box_above(box.high);
  bool is_narrow = drawing->wide || box.high - box.low <= 0x1p-36 * scale;
  counts->misses += !is_held || !is_narrow;
  if (is_held && is_narrow) return;
  g_test_message("reference %a, box %a .. %a", reference, box.low, box.high);
}

/* A quantized result that is exact conforms where integers are rescaled exactly; such boxes hold
 * one integer, or two at a tie. */
static void check_stored(const question_t *question, size_t component, box_t box,
                         exact_counts_t *counts) {
  const program_t *program = &question->instance->program;
  const element_t *element = program->results[0].element;
  if (box.low != box.high) return;
  tensor_t result = tensor_make(question->arena, &program->results[0]);
  memset(result.data, 0, type_bytes(&result.type));
  element_store(element, result.data, component,
                (uint64_t)(int64_t)box.low & element_mask(element));
  counts->stored++;
  counts->misses += !question_decide(question, 0, component, &result).conforms;
}

static void check_exact_case(box_drawing_t *drawing, exact_counts_t *counts) {
  contract_t contract = contract_spec();
  const char *formulas = drawing->op->formulas;
  bool is_composite = drawing->op->is_composite;
  if (formulas != NULL && !is_composite) { /* Quantized sums may be integers. */
    contract_set_value(&contract, formulas, (uint8_t)(contract_value_count(formulas) - 1));
  }
  case_t instance;
  if (!draw_case(drawing, &contract, &instance) || is_complex(&instance.program)) return;
  box_t *operands[CASE_OPERANDS_MAX], *results[CASE_RESULTS_MAX];
  make_operands(drawing, &instance, operands);
  question_t question;
  if (question_make(&instance, &contract, &drawing->arena, &question) != STATUS_OK) return;
  if (enclose(drawing, &instance.program, NULL, operands, results) != STATUS_OK) return;
  const program_t *program = &instance.program;
  bool is_split = /* Then the reference is a sum of products of parts. */
      drawing->oracle->names_algorithm != NULL && drawing->oracle->names_algorithm(program);
  bool has_quantized = false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    has_quantized |= program->operands[i].quantization != NULL;
  }
  bool is_product = find_escapes(drawing->op)->stores_products;
  for (uint32_t r = 0; r < program->result_count; r++) {
    const accept_t *accept = &question.accepts[r];
    for (size_t i = 0; i < type_element_count(&program->results[r]); i++) {
      bool is_real = accept->reference != NULL && !is_split && !has_quantized; /* Rounded. */
      if (is_real) check_reference(drawing, accept, i, results[r][i], counts);
      bool is_stored = is_product && program->results[r].quantization != NULL;
      if (is_stored && i < COMPONENTS_ASKED) check_stored(&question, i, results[r][i], counts);
    }
  }
}

static exact_counts_t run_exactly(const op_t *op, bool wide, size_t rounds) {
  box_drawing_t drawing = {
      .op = op, .oracle = oracle_find(op), .wide = wide, .rng = rng_make(g_str_hash(op->name))};
  exact_counts_t counts = {0};
  arena_init(&drawing.arena);
  for (size_t i = 0; i < rounds; i++) {
    check_exact_case(&drawing, &counts);
    arena_reset(&drawing.arena);
  }
  arena_deinit(&drawing.arena);
  return counts;
}

/* Real numbers, with the 113 bits of __float128 where 53 are asked for. */
static void test_quantize_exactly(void) {
  const char *line =
      "stablehlo.uniform_quantize f32[1] -> !quant.uniform<i8<-127:127>:f32,0x1.99999ap-4:3>[1]";
  arena_t arena;
  arena_init(&arena);
  program_t program;
  failure_t error = {.text = ""};
  g_assert_cmpint(program_parse(str_from(line), &arena, &program, NULL, &error), ==, STATUS_OK);
  const oracle_t *oracle = oracle_find(program.op);
  size_t wide = 0;
  for (int i = -20000; i < 20000; i++) {
    box_t value = box_point((double)(float)(i * 0x1.6p-10)), stored;
    const box_t *operands[CASE_OPERANDS_MAX] = {&value};
    box_t *results[CASE_RESULTS_MAX] = {&stored};
    const enclosure_call_t call = {
        .program = &program, .operands = operands, .arena = &arena, .error = &error};
    g_assert_cmpint(oracle->enclose(&call, results), ==, 0);
    __float128 sum = (__float128)value.low / (__float128)0x1.99999ap-4 + 3;
    __float128 nearest = (__float128)nearbyint((double)sum);
    __float128 distance = sum - nearest;
    g_assert_true(distance <= (__float128)0.5 + 0x1p-40 && distance >= -(__float128)0.5 - 0x1p-40);
    g_assert_true(box_holds(stored, CLAMP((double)nearest, -127, 127)));
    wide += stored.low != stored.high;
    arena_reset(&arena);
    g_assert_cmpint(program_parse(str_from(line), &arena, &program, NULL, &error), ==, STATUS_OK);
  }
  g_assert_cmpuint(wide, <, 10);
  arena_deinit(&arena);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_exactly(gconstpointer data) {
  const op_t *op = (const op_t *)data;
  for (int wide = 0; wide <= 1; wide++) {
    exact_counts_t counts = run_exactly(op, wide != 0, BOX_ROUNDS);
    g_test_message("%s%s: %" G_GUINT64_FORMAT " references, %" G_GUINT64_FORMAT
                   " stored, %" G_GUINT64_FORMAT " misses",
                   op->name, wide != 0 ? ", wide" : "", counts.references, counts.stored,
                   counts.misses);
    g_assert_cmpuint(counts.misses, ==, 0);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/enclose_exactly/quantize", test_quantize_exactly);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    const oracle_t *oracle = oracle_find(*op);
    if (oracle == NULL || oracle->enclose == NULL) continue;
    g_autofree char *path = g_strdup_printf("/enclose_exactly/%s", (*op)->name);
    g_test_add_data_func(path, *op, test_exactly);
  }
  return g_test_run();
}

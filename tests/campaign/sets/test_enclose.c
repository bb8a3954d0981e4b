/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes (oracle_t.enclose) against the sets that the exact oracle accepts: on drawn programs of
 * every op that encloses, under drawn contracts, whatever conforms lies within the box, for
 * operands at points and for operands drawn from wider boxes; without a contract so does the exact
 * reference, and the box is narrow.  Planted faults are seen to let results escape. */
#include <math.h>
#include <string.h>

#include "harness/gen/gen.h"
#include "tests/campaign/sets/box_escapes.h"
#include "tests/ops/oracle_checks.h"

#ifdef ASSAY_SANITIZE
enum { ROUNDS = 25 };
#else
enum { ROUNDS = 130 };
#endif

enum {
  PLANT_ROUNDS = 2000, /* At the most: until something escapes. */
  SCHEDULES = 3,
  COMPONENTS_ASKED = 3, /* Of each result. */
  STEPS = 5,            /* Each way from a result, each twice as long as the one before. */
};

/* What is done to the boxes, as a faulty enclose() would. */
typedef enum plant {
  PLANT_NONE,
  PLANT_INWARD,      /* Ends are rounded inwards. */
  PLANT_DROPPED,     /* An operand element is left out: it counts as zero. */
  PLANT_ZERO_POINTS, /* Zero points are forgotten. */
  PLANT_COUNT
} plant_t;

typedef struct campaign {
  const op_t *op;
  const oracle_t *oracle;
  plant_t plant;
  bool wide; /* Operands are drawn from wider boxes. */
  rng_t rng;
  arena_t arena;
  uint64_t cases, unsupported, whole, asked, conforming, escapes;
} campaign_t;

/* ---- Drawing --------------------------------------------------------------------------------- */

static const draw_limits_t limits = {.rank_max = 4, .elements_max = 48, .terms_max = 10};

static contract_t draw_contract(rng_t *rng) {
  contract_t contract = rng_one_in(rng, 3) ? contract_spec() : contract_backend();
  for (size_t i = 0; i < contract_permission_count(); i++) {
    const char *name = contract_permission_name(i);
    bool keeps = !rng_one_in(rng, 4) || strcmp(name, "bits") == 0 || strcmp(name, "byteir") == 0;
    if (keeps) continue;
    uint8_t value = (uint8_t)rng_below(rng, contract_value_count(name));
    contract_set_value(&contract, name, value);
  }
  return contract;
}

static implementation_model_t draw_schedule(rng_t *rng) {
  static const sum_order_kind_t kinds[] = {SUM_SEQUENTIAL, SUM_REVERSE, SUM_HALVES,  SUM_BLOCKS,
                                           SUM_LANES,      SUM_RANDOM,  SUM_SHUFFLED};
  implementation_model_t schedule = schedule_plain();
  schedule.order.kind = kinds[rng_below(rng, G_N_ELEMENTS(kinds))];
  schedule.order.width = 1 + (uint32_t)rng_below(rng, 4);
  schedule.seed = rng_bits(rng);
  schedule.fused = rng_one_in(rng, 3);
  schedule.init_count = (uint32_t)rng_below(rng, 3);
  schedule.native = rng_one_in(rng, 2);
  schedule.other_way = rng_one_in(rng, 2);
  return schedule;
}

/* ---- Patterns -------------------------------------------------------------------------------- */

/* Patterns of reals in their order, as far as they have one. */
static int64_t ordinal_of(const element_t *element, uint64_t bits) {
  if (element->format != NULL) return format_ordinal(element->format, bits);
  return element_signed_value(element, bits);
}

static uint64_t bits_of(const element_t *element, int64_t ordinal) {
  if (element->format == NULL) return (uint64_t)ordinal & element_mask(element);
  int64_t most = format_ordinal(element->format, element->format->largest_bits);
  int64_t least = format_has_negative_zero(element->format) ? -most - 1 : -most;
  return format_from_ordinal(element->format, CLAMP(ordinal, least, most));
}

static bool is_nan(const element_t *element, uint64_t bits) {
  return element->format != NULL && format_is_nan(element->format, bits);
}

static box_t point_of(const element_t *element, uint64_t bits) {
  uint8_t data[sizeof bits] = {0};
  element_store(element, data, 0, bits);
  const tensor_t tensor = {.type = {.element = element}, .data = data};
  return box_make_point(&tensor, 0);
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

/* Boxes of the operands: points, or what lies between those of two cases; and a case within. */
static void make_operands(campaign_t *campaign, case_t *inout_case, box_t *boxes[]) {
  const program_t *program = &inout_case->program;
  case_t other = case_make(&campaign->arena, program);
  gen_data(&campaign->rng, &other);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const element_t *element = program->operands[i].element;
    const tensor_t *tensor = &inout_case->operands[i];
    size_t count = type_element_count(&program->operands[i]);
    boxes[i] = ARENA_NEW_ARRAY(&campaign->arena, box_t, count);
    for (size_t e = 0; e < count; e++) {
      uint64_t a = element_load(element, tensor->data, e);
      uint64_t b = element_load(element, other.operands[i].data, e);
      boxes[i][e] = point_of(element, a);
      bool is_narrow = !campaign->wide || is_nan(element, a) || is_nan(element, b) ||
                       rng_one_in(&campaign->rng, 3) || element->kind == ELEMENT_UNSIGNED;
      if (is_narrow) continue;
      boxes[i][e] = box_unite(boxes[i][e], point_of(element, b));
      if (box_is_whole_line(boxes[i][e])) continue;
      uint64_t choice = rng_below(&campaign->rng, 3);
      int64_t from = ordinal_of(element, a), to = ordinal_of(element, b);
      int64_t between = from / 2 + to / 2;
      bool is_within = from != to && between >= MIN(from, to) && between <= MAX(from, to);
      if (choice == 0 && is_within)
        element_store(element, tensor->data, e, bits_of(element, between));
      if (choice == 1) element_store(element, tensor->data, e, b);
    }
  }
}

/* As enclose() would see them. */
static void plant_in_operands(campaign_t *campaign, program_t *program, box_t *boxes[]) {
  rng_t *rng = &campaign->rng;
  uint32_t operand = (uint32_t)rng_below(rng, program->operand_count);
  size_t count = type_element_count(&program->operands[operand]);
  if (campaign->plant == PLANT_DROPPED && count > 0) {
    const type_t *type = &program->operands[operand];
    size_t element = rng_below(rng, count);
    int64_t zero = type->quantization == NULL ? 0 : quantization_zero_point(type, element);
    boxes[operand][element] = box_point((double)zero);
  }
  for (uint32_t i = 0; i < program->operand_count && campaign->plant == PLANT_ZERO_POINTS; i++) {
    if (program->operands[i].quantization == NULL) continue;
    quantization_t *spoilt = ARENA_NEW_ARRAY(&campaign->arena, quantization_t, 1);
    *spoilt = *program->operands[i].quantization;
    spoilt->zero_points =
        arena_alloc_zeroed(&campaign->arena, MAX(spoilt->count, 1) * sizeof(int64_t));
    program->operands[i].quantization = spoilt;
  }
}

static box_t plant_in_result(const campaign_t *campaign, const element_t *element, box_t box) {
  if (campaign->plant != PLANT_INWARD) return box;
  if (element->format == NULL) return (box_t){box.low + 1, box.high};
  return (box_t){box_above(box.low), box_below(box.high)};
}

/* ---- Checking -------------------------------------------------------------------------------- */

static void tell(const campaign_t *campaign, const question_t *question, uint32_t result,
                 size_t component, uint64_t bits, box_t box) {
  if (campaign->plant != PLANT_NONE) return;
  GString *line = g_string_new(NULL);
  case_print(question->instance, line);
  g_string_truncate(line, MIN(line->len, 1500));
  g_string_append(line, "\n");
  contract_print_short(question->contract, line);
  g_test_message("%s\nresult %u component %zu: 0x%" G_GINT64_MODIFIER "x conforms, not in %a .. %a",
                 line->str, result, component, bits, box.low, box.high);
  g_string_free(line, TRUE);
}

static void check_bits(campaign_t *campaign, const question_t *question, uint32_t result,
                       size_t component, tensor_t *results, uint64_t bits, box_t box,
                       bool *out_conforms) {
  const element_t *element = results[result].type.element;
  uint64_t before = element_load(element, results[result].data, component);
  element_store(element, results[result].data, component, bits);
  answer_t answer = question_decide(question, result, component, results);
  element_store(element, results[result].data, component, before);
  campaign->asked++;
  *out_conforms = answer.conforms;
  if (!answer.conforms) return;
  campaign->conforming++;
  bool is_held = is_nan(element, bits) ? box_is_whole_line(box)
                                       : point_of(element, bits).high >= box.low &&
                                             point_of(element, bits).low <= box.high;
  if (is_held) return;
  campaign->escapes++;
  if (campaign->escapes < 4) tell(campaign, question, result, component, bits, box);
}

/* What was returned, its neighbours nearer and farther, and what is seldom right. */
static void check_component(campaign_t *campaign, const question_t *question, uint32_t result,
                            size_t component, tensor_t *results, box_t box) {
  const element_t *element = results[result].type.element;
  uint64_t bits = element_load(element, results[result].data, component);
  bool conforms;
  check_bits(campaign, question, result, component, results, bits, box, &conforms);
  if (!is_nan(element, bits)) {
    for (int side = -1; side <= 1; side += 2) {
      int64_t step = 1, ordinal = ordinal_of(element, bits), at = 0;
      for (int i = 0; i < STEPS; i++) { /* Farther as long as it conforms, then nearer. */
        uint64_t moved = (uint64_t)ordinal + (uint64_t)(side * (at + step)); /* May wrap. */
        uint64_t stepped = bits_of(element, (int64_t)moved);
        check_bits(campaign, question, result, component, results, stepped, box, &conforms);
        if (conforms) at += step;
        step = conforms ? 2 * step : MAX(step / 2, 1);
      }
    }
  }
  const uint64_t others[] = {0, rng_bits(&campaign->rng) & element_mask(element),
                             element_mask(element) >> 1,
                             element->format == NULL ? 1 : element->format->largest_bits};
  uint64_t other = others[rng_below(&campaign->rng, G_N_ELEMENTS(others))];
  check_bits(campaign, question, result, component, results, other, box, &conforms);
}

static void check_results(campaign_t *campaign, const question_t *question, tensor_t *results,
                          box_t *const boxes[]) {
  const program_t *program = &question->instance->program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    size_t count = type_element_count(&program->results[r]);
    for (int i = 0; i < COMPONENTS_ASKED && count > 0; i++) {
      size_t component = rng_below(&campaign->rng, count);
      box_t box = boxes[r][component];
      campaign->whole += box_is_whole_line(box);
      box = plant_in_result(campaign, program->results[r].element, box);
      check_component(campaign, question, r, component, results, box);
    }
  }
}

/* ---- The campaign ---------------------------------------------------------------------------- */

static bool draw_case(campaign_t *campaign, const contract_t *contract, case_t *out_case) {
  program_t program;
  campaign->op->draw(&campaign->rng, &limits, &campaign->arena, &program);
  if (program_broken_under(&program, program_broken(&program), contract) != NULL) return false;
  *out_case = case_make(&campaign->arena, &program);
  gen_data(&campaign->rng, out_case);
  gen_settle(&campaign->rng, out_case);
  return true;
}

static status_t enclose(campaign_t *campaign, const program_t *program, const contract_t *contract,
                        box_t *const operands[], box_t *out_results[]) {
  const box_t *given[CASE_OPERANDS_MAX] = {NULL};
  for (uint32_t i = 0; i < program->operand_count; i++) given[i] = operands[i];
  for (uint32_t r = 0; r < program->result_count; r++) {
    size_t count = type_element_count(&program->results[r]);
    out_results[r] = ARENA_NEW_ARRAY(&campaign->arena, box_t, count);
    for (size_t i = 0; i < count; i++) out_results[r][i] = box_point(NAN);
  }
  failure_t error = {.text = ""};
  const enclosure_call_t call = {.program = program,
                                 .contract = contract,
                                 .operands = given,
                                 .arena = &campaign->arena,
                                 .error = &error,
                                 .are_stored = true};
  status_t status = campaign->oracle->enclose(&call, out_results);
  g_assert_true(status == STATUS_OK || (status == STATUS_UNSUPPORTED && error.text[0] != '\0'));
  for (uint32_t r = 0; r < program->result_count && status == STATUS_OK; r++) {
    size_t count = type_element_count(&program->results[r]);
    for (size_t i = 0; i < count; i++) {
      g_assert_true(out_results[r][i].low <= out_results[r][i].high);
    }
  }
  return status;
}

static bool simulate(campaign_t *campaign, const case_t *instance, tensor_t *out_results) {
  const program_t *program = &instance->program;
  implementation_model_t schedule = draw_schedule(&campaign->rng);
  for (uint32_t r = 0; r < program->result_count; r++) {
    out_results[r] = tensor_make(&campaign->arena, &program->results[r]);
    memset(out_results[r].data, 0, type_bytes(&program->results[r]));
  }
  failure_t error = {.text = ""};
  const oracle_call_t call = {.instance = instance, .arena = &campaign->arena, .error = &error};
  return campaign->oracle->simulate(&call, &schedule, out_results) == STATUS_OK;
}

static bool is_complex(const program_t *program) {
  bool is_complex = program->results[0].element->components != 1;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    is_complex |= program->operands[i].element->components != 1;
  }
  return is_complex;
}

static void run_round(campaign_t *campaign) {
  contract_t contract = draw_contract(&campaign->rng);
  case_t instance;
  if (!draw_case(campaign, &contract, &instance) || is_complex(&instance.program)) return;
  box_t *operands[CASE_OPERANDS_MAX], *results[CASE_RESULTS_MAX];
  make_operands(campaign, &instance, operands);
  question_t question;
  if (question_make(&instance, &contract, &campaign->arena, &question) != STATUS_OK) return;
  program_t seen = instance.program;
  plant_in_operands(campaign, &seen, operands);
  if (enclose(campaign, &seen, &contract, operands, results) != STATUS_OK) {
    campaign->unsupported++;
    return;
  }
  campaign->cases++;
  tensor_t returned[CASE_RESULTS_MAX];
  for (int i = 0; i < SCHEDULES; i++) {
    if (simulate(campaign, &instance, returned)) {
      check_results(campaign, &question, returned, results);
    }
  }
}

static campaign_t run(const op_t *op, plant_t plant, bool wide, size_t rounds) {
  campaign_t campaign = {.op = op, .oracle = oracle_find(op), .plant = plant, .wide = wide};
  campaign.rng = rng_make(g_str_hash(op->name) + (uint64_t)plant);
  arena_init(&campaign.arena);
  for (size_t i = 0; i < rounds && (plant == PLANT_NONE || campaign.escapes == 0); i++) {
    run_round(&campaign);
    arena_reset(&campaign.arena);
  }
  arena_deinit(&campaign.arena);
  return campaign;
}

/* ---- Without a contract ---------------------------------------------------------------------- */

typedef struct exact_counts {
  uint64_t references, stored, misses;
} exact_counts_t;

/* The reference is x*, rounded; a box of points is as wide as its sums' bounds, at the most. */
static void check_reference(const campaign_t *campaign, const accept_t *accept, size_t component,
                            box_t box, exact_counts_t *counts) {
  double reference = accept->reference[component];
  if (!(fabs(reference) > 0x1p-960 && fabs(reference) < 0x1p+960)) return;
  double scale = fabs(reference);
  if (accept->magnitude != NULL) scale = fmax(scale, accept->magnitude[component]);
  counts->references++;
  double off = campaign->op->is_composite ? reference_error(accept, component) : 0;
  bool is_held = reference + off >= box_below(box.low) && reference - off <= box_above(box.high);
  bool is_narrow = campaign->wide || box.high - box.low <= 0x1p-36 * scale;
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

static void check_exact_case(campaign_t *campaign, exact_counts_t *counts) {
  contract_t contract = contract_spec();
  const char *formulas = campaign->op->formulas;
  bool is_composite = campaign->op->is_composite;
  if (formulas != NULL && !is_composite) { /* Quantized sums may be integers. */
    contract_set_value(&contract, formulas, (uint8_t)(contract_value_count(formulas) - 1));
  }
  case_t instance;
  if (!draw_case(campaign, &contract, &instance) || is_complex(&instance.program)) return;
  box_t *operands[CASE_OPERANDS_MAX], *results[CASE_RESULTS_MAX];
  make_operands(campaign, &instance, operands);
  question_t question;
  if (question_make(&instance, &contract, &campaign->arena, &question) != STATUS_OK) return;
  if (enclose(campaign, &instance.program, NULL, operands, results) != STATUS_OK) return;
  const program_t *program = &instance.program;
  bool is_split = /* Then the reference is a sum of products of parts. */
      campaign->oracle->names_algorithm != NULL && campaign->oracle->names_algorithm(program);
  bool has_quantized = false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    has_quantized |= program->operands[i].quantization != NULL;
  }
  bool is_product = find_escapes(campaign->op)->stores_products;
  for (uint32_t r = 0; r < program->result_count; r++) {
    const accept_t *accept = &question.accepts[r];
    for (size_t i = 0; i < type_element_count(&program->results[r]); i++) {
      bool is_real = accept->reference != NULL && !is_split && !has_quantized; /* Rounded. */
      if (is_real) check_reference(campaign, accept, i, results[r][i], counts);
      bool is_stored = is_product && program->results[r].quantization != NULL;
      if (is_stored && i < COMPONENTS_ASKED) check_stored(&question, i, results[r][i], counts);
    }
  }
}

static exact_counts_t run_exactly(const op_t *op, bool wide, size_t rounds) {
  campaign_t campaign = {
      .op = op, .oracle = oracle_find(op), .wide = wide, .rng = rng_make(g_str_hash(op->name))};
  exact_counts_t counts = {0};
  arena_init(&campaign.arena);
  for (size_t i = 0; i < rounds; i++) {
    check_exact_case(&campaign, &counts);
    arena_reset(&campaign.arena);
  }
  arena_deinit(&campaign.arena);
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

static void test_op(gconstpointer data) {
  const op_t *op = (const op_t *)data;
  for (int wide = 0; wide < 2; wide++) {
    campaign_t campaign = run(op, PLANT_NONE, wide != 0, ROUNDS);
    g_test_message("%s%s: %" G_GUINT64_FORMAT " cases, %" G_GUINT64_FORMAT
                   " unsupported, %" G_GUINT64_FORMAT " asked, %" G_GUINT64_FORMAT
                   " conforming, %" G_GUINT64_FORMAT " of whole lines, %" G_GUINT64_FORMAT
                   " escapes",
                   op->name, wide != 0 ? ", wide" : "", campaign.cases, campaign.unsupported,
                   campaign.asked, campaign.conforming, campaign.whole, campaign.escapes);
    g_assert_cmpuint(campaign.escapes, ==, 0);
    g_assert_cmpuint(campaign.cases, >, ROUNDS / 8);
    g_assert_cmpuint(campaign.conforming, >, campaign.cases);
  }
}

static void test_exactly(gconstpointer data) {
  const op_t *op = (const op_t *)data;
  for (int wide = 0; wide <= 1; wide++) {
    exact_counts_t counts = run_exactly(op, wide != 0, ROUNDS);
    g_test_message("%s%s: %" G_GUINT64_FORMAT " references, %" G_GUINT64_FORMAT
                   " stored, %" G_GUINT64_FORMAT " misses",
                   op->name, wide != 0 ? ", wide" : "", counts.references, counts.stored,
                   counts.misses);
    g_assert_cmpuint(counts.misses, ==, 0);
  }
}

/* Each planted fault lets something escape. */
static void test_plants(gconstpointer data) {
  const op_t *op = (const op_t *)data;
  const escapes_t *escapes = find_escapes(op);
  g_assert_cmpuint(run(op, PLANT_INWARD, false, PLANT_ROUNDS).escapes, >, 0);
  if (escapes->terms) g_assert_cmpuint(run(op, PLANT_DROPPED, false, PLANT_ROUNDS).escapes, >, 0);
  if (escapes->zero_points)
    g_assert_cmpuint(run(op, PLANT_ZERO_POINTS, false, PLANT_ROUNDS).escapes, >, 0);
}

static void add_test(const char *name, const op_t *op, GTestDataFunc test) {
  char *path = g_strdup_printf("/enclose/%s/%s", name, op->name);
  g_test_add_data_func(path, op, test);
  g_free(path);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/enclose/exactly/quantize", test_quantize_exactly);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    const oracle_t *oracle = oracle_find(*op);
    if (oracle == NULL || oracle->enclose == NULL) continue;
    add_test("contracts", *op, test_op);
    add_test("exactly", *op, test_exactly);
    add_test("plants", *op, test_plants);
  }
  return g_test_run();
}

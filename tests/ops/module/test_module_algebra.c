/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, and quotients, that are combined across steps: kernels that do so conform under the
 * permission for it, and some of their results under nothing else; what is further off does not
 * conform even then. */
#include <math.h>

#include "harness/gen/gen.h"
#include "harness/kinds/module/module.h"
#include "oracles/oracle.h"

enum { DATA_SETS = 60 };

#define CONSTANTS "algebra=constants"
#define QUOTIENTS "algebra=quotients"
#define INVERSES "algebra=quotients,division=reciprocal"
#define SCALES "algebra=scales"

typedef struct chain {
  const char *permission, *line;
  bool shows; /* Whether some results need the permission, where intermediate values are rounded. */
  const char *less; /* One that is not enough for these; or NULL. */
  int scale;        /* Operands are below 16 times two to that. */
} chain_t;

#define NUMBER(value, bits) value "=constant(f32[4]," bits bits bits bits ");"
#define BINARY(value, name, left, right) \
  value "=stablehlo." name "(" left "," right ") f32[4] f32[4] -> f32[4];"
#define UNARY(value, name, operand) value "=stablehlo." name "(" operand ") f32[4] -> f32[4];"
#define SPREAD(value, operand) \
  value "=stablehlo.broadcast_in_dim(" operand ") broadcast_dimensions=[0] f32[4] -> f32[4,2];"
#define WIDE(value, name, left, right) \
  value "=stablehlo." name "(" left "," right ") f32[4,2] f32[4,2] -> f32[4,2];"
#define SCALED(value, name, operand, number, shape) \
  value "=stablehlo." name "(" operand "," number ") " shape " " shape " -> " shape ";"
#define SCALE(value, number, shape) \
  value "=stablehlo.broadcast_in_dim(" number ") broadcast_dimensions=[] f32[] -> " shape ";"
#define PRODUCT(value, left, right)              \
  value "=stablehlo.dot_general(" left "," right \
        ") batch=[]x[] contract=[1]x[0] f32[2,3] f32[3,2] -> f32[2,2];"
#define OF_PRODUCT(steps) "module steps={" steps "} f32[2,3] f32[3,2] -> f32[2,2]"
#define OF_TWO(steps) "module steps={" steps "} f32[4] f32[4] -> f32[4]"
#define OF_THREE(steps) "module steps={" steps "} f32[4] f32[4] f32[4] -> f32[4]"
#define OF_FOUR(steps) "module steps={" steps "} f32[4] f32[4] f32[4] f32[4] -> f32[4]"
#define TENTH "3dcccccd"
#define OTHER "406ccccd"
#define THIRD "bf333333"

static const chain_t chains[] = {
    {CONSTANTS,
     "module steps={" NUMBER("v0", TENTH) NUMBER("v1", OTHER) BINARY("v2", "multiply", "a0", "v0")
         BINARY("v3", "multiply", "v1", "v2") "return(v3)} f32[4] -> f32[4]",
     true, NULL, 0},
    {CONSTANTS,
     "module steps={" NUMBER("v0", TENTH) NUMBER("v1", OTHER) BINARY("v2", "add", "a0", "v0")
         BINARY("v3", "subtract", "v2", "v1") "return(v3)} f32[4] -> f32[4]",
     true, NULL, 0},
    {CONSTANTS,
     "module steps={" NUMBER("v0", TENTH) NUMBER("v1", OTHER) NUMBER("v2", THIRD)
         BINARY("v3", "subtract", "a0", "v0") BINARY("v4", "add", "v1", "v3")
             BINARY("v5", "add", "v4", "v2") "return(v5,v3)} f32[4] -> f32[4] f32[4]",
     true, NULL, 0},
    /* A number less the value is no number that is added to it. */
    {CONSTANTS,
     "module steps={" NUMBER("v0", TENTH) NUMBER("v1", OTHER) BINARY("v2", "subtract", "v0", "a0")
         BINARY("v3", "add", "v2", "v1") "return(v3)} f32[4] -> f32[4]",
     false, NULL, 0},
    /* A sum and a product: nothing to combine. */
    {CONSTANTS,
     "module steps={" NUMBER("v0", TENTH) NUMBER("v1", OTHER) BINARY("v2", "add", "a0", "v0")
         BINARY("v3", "multiply", "v2", "v1") "return(v3)} f32[4] -> f32[4]",
     false, NULL, 0},
    /* An operand is no number. */
    {CONSTANTS,
     "module steps={" NUMBER("v0", TENTH) BINARY("v1", "multiply", "a0", "a1")
         BINARY("v2", "multiply", "v1", "v0") "return(v2)} f32[4] f32[4] -> f32[4]",
     false, NULL, 0},
    /* (x / y) / z, x / (y / z), (w / x) / (y / z), and what is moved between. */
    {QUOTIENTS,
     OF_THREE(BINARY("v0", "divide", "a0", "a1") BINARY("v1", "divide", "v0", "a2") "return(v1)"),
     true, CONSTANTS, 0},
    {QUOTIENTS,
     OF_THREE(BINARY("v0", "divide", "a0", "a1") BINARY("v1", "divide", "a2", "v0") "return(v1)"),
     true, CONSTANTS, 0},
    {QUOTIENTS,
     OF_FOUR(BINARY("v0", "divide", "a0", "a1") BINARY("v1", "divide", "a2", "a3")
                 BINARY("v2", "divide", "v0", "v1") "return(v2)"),
     true, CONSTANTS, 0},
    {QUOTIENTS,
     OF_FOUR(BINARY("v0", "divide", "a0", "a1") BINARY("v1", "divide", "v0", "a2")
                 BINARY("v2", "divide", "v1", "a3") "return(v2)"),
     true, CONSTANTS, 0},
    {QUOTIENTS,
     "module steps={" BINARY("v0", "divide", "a0", "a1") SPREAD("v1", "v0")
         WIDE("v2", "divide", "v1", "a2") "return(v2)} f32[4] f32[4] f32[4,2] -> f32[4,2]",
     true, CONSTANTS, 0},
    /* A product is no quotient, and a quotient that is multiplied stays one. */
    {QUOTIENTS,
     OF_THREE(BINARY("v0", "divide", "a0", "a1") BINARY("v1", "multiply", "v0", "a2") "return(v1)"),
     false, NULL, 0},
    {QUOTIENTS,
     OF_THREE(BINARY("v0", "multiply", "a0", "a1") BINARY("v1", "divide", "v0", "a2") "return(v1)"),
     false, NULL, 0},
    /* x / sqrt(y), x / rsqrt(y), x / exp(y), exp(x) exp(y), exp(x) / exp(y). */
    {QUOTIENTS,
     OF_TWO(UNARY("v0", "abs", "a1") UNARY("v1", "sqrt", "v0")
                BINARY("v2", "divide", "a0", "v1") "return(v2)"),
     true, CONSTANTS, 0},
    {QUOTIENTS,
     OF_TWO(UNARY("v0", "abs", "a1") UNARY("v1", "rsqrt", "v0")
                BINARY("v2", "divide", "a0", "v1") "return(v2)"),
     true, CONSTANTS, 0}, /* Of a few: a faithful rsqrt is nearly as far off. */
    {QUOTIENTS,
     OF_TWO(UNARY("v0", "exponential", "a1") BINARY("v1", "divide", "a0", "v0") "return(v1)"), true,
     CONSTANTS, 0},
    {QUOTIENTS,
     OF_TWO(UNARY("v0", "exponential", "a0") UNARY("v1", "exponential", "a1")
                BINARY("v2", "multiply", "v0", "v1") "return(v2)"),
     true, CONSTANTS, 1}, /* Their sum is rounded, and not small. */
    {QUOTIENTS,
     OF_TWO(UNARY("v0", "exponential", "a0") UNARY("v1", "exponential", "a1")
                BINARY("v2", "divide", "v0", "v1") "return(v2)"),
     true, CONSTANTS, 1},
    /* Numbers that are divided by are multiplied, and combined; so are quotients. */
    {INVERSES,
     "module steps={" NUMBER("v0", TENTH) NUMBER("v1", OTHER) BINARY("v2", "divide", "a0", "v0")
         BINARY("v3", "divide", "v2", "v1") "return(v3)} f32[4] -> f32[4]",
     true, QUOTIENTS, 0},
    {INVERSES,
     "module steps={" NUMBER("v0", TENTH) NUMBER("v1", OTHER) BINARY("v2", "divide", "a0", "v0")
         BINARY("v3", "multiply", "v2", "v1") "return(v3)} f32[4] -> f32[4]",
     true, QUOTIENTS, 0},
    {INVERSES,
     OF_THREE(BINARY("v0", "divide", "a0", "a1") BINARY("v1", "divide", "a2", "v0") "return(v1)"),
     true, QUOTIENTS, 0},
    /* (x s) y, (x y) / s, ((x s) y) / t. */
    {SCALES,
     OF_PRODUCT("v0=constant(f32[]," TENTH ");" SCALE("v1", "v0", "f32[2,3]") SCALED(
         "v2", "multiply", "a0", "v1", "f32[2,3]") PRODUCT("v3", "v2", "a1") "return(v3)"),
     true, QUOTIENTS, 0},
    {SCALES,
     OF_PRODUCT("v0=constant(f32[],40e00000);" SCALE("v1", "v0", "f32[2,2]") PRODUCT(
         "v2", "a0", "a1") SCALED("v3", "divide", "v2", "v1", "f32[2,2]") "return(v3)"),
     true, QUOTIENTS, 0},
    {SCALES,
     OF_PRODUCT("v0=constant(f32[],40400000);v1=constant(f32[],40e00000);" SCALE(
         "v2", "v0", "f32[2,3]") SCALE("v3", "v1", "f32[2,2]")
                    SCALED("v4", "multiply", "a0", "v2", "f32[2,3]") PRODUCT("v5", "v4", "a1")
                        SCALED("v6", "divide", "v5", "v3", "f32[2,2]") "return(v6)"),
     true, QUOTIENTS, 0},
    /* A vector is no number. */
    {SCALES,
     OF_PRODUCT("v0=constant(f32[2,3]," TENTH TENTH OTHER TENTH TENTH TENTH ");" SCALED(
         "v1", "multiply", "a0", "v0", "f32[2,3]") PRODUCT("v2", "v1", "a1") "return(v2)"),
     false, NULL, 0},
};

typedef struct trial {
  arena_t arena;
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
} trial_t;

static contract_t parse_contract(const char *text) {
  contract_t contract;
  failure_t error = {0};
  if (contract_parse(str_from(text), &contract, &error) != STATUS_OK) g_error("%s", error.text);
  return contract;
}

static void simulate(trial_t *trial, const char *readings, bool other_way) {
  const program_t *program = &trial->instance.program;
  failure_t error = {0};
  const oracle_call_t call = {
      .instance = &trial->instance, .arena = &trial->arena, .error = &error};
  implementation_model_t model = schedule_plain();
  model.readings = readings;
  model.other_way = other_way;
  for (uint32_t i = 0; i < program->result_count; i++) {
    trial->results[i] = tensor_make(&trial->arena, &program->results[i]);
    memset(trial->results[i].data, 0, type_bytes(&program->results[i]));
  }
  if (oracle_find(program->op)->simulate(&call, &model, trial->results) != STATUS_OK) {
    g_error("%s", error.text);
  }
}

/* How many elements do not conform. */
static unsigned count_wrong(trial_t *trial, const char *words) {
  const contract_t contract = parse_contract(words);
  const program_t *program = &trial->instance.program;
  failure_t error = {0};
  oracle_call_t call = {.instance = &trial->instance,
                        .contract = &contract,
                        .arena = &trial->arena,
                        .error = &error,
                        .results = trial->results};
  unsigned wrong = 0;
  for (uint32_t result = 0; result < program->result_count; result++) {
    for (size_t i = 0; i < type_element_count(&program->results[result]); i++) {
      answer_t answer = {.conforms = false};
      if (oracle_find(program->op)->decide(&call, result, i, &answer) != STATUS_OK) {
        g_error("%s", error.text);
      }
      wrong += !answer.conforms;
    }
  }
  return wrong;
}

/* Ordinary numbers, whose results are ordinary numbers. */
static void draw_data(rng_t *rng, int scale, case_t *instance) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    float *data = (float *)(void *)instance->operands[i].data;
    for (size_t k = 0; k < type_element_count(&instance->operands[i].type); k++) {
      data[k] = ldexpf(0.9f * (float)(rng_between(rng, -(1 << 22), 1 << 22)), scale - 18);
    }
  }
}

/* Of sums only those that are not what larger numbers leave of one another; of others those where
 * nothing came near the ends of the type. */
static bool shift(trial_t *trial, int ulps, const char *permission) {
  float *data = (float *)(void *)trial->results[0].data;
  for (int k = 0; k < ulps; k++) data[0] = nextafterf(data[0], INFINITY);
  float least = strcmp(permission, CONSTANTS) == 0 ? 0x1p-3f : 0x1p-30f;
  if (strcmp(permission, SCALES) == 0) least = 2;
  return fabsf(data[0]) > least && fabsf(data[0]) < 0x1p30f;
}

static void make_trial(const char *line, trial_t *out_trial) {
  arena_init(&out_trial->arena);
  program_t program;
  failure_t error = {0};
  if (program_parse(str_from(line), &out_trial->arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  out_trial->instance = case_make(&out_trial->arena, &program);
}

static void test_chain(gconstpointer data) {
  const chain_t *chain = data;
  rng_t rng = rng_make(238);
  g_autofree char *spec = g_strconcat("spec,", chain->permission, NULL);
  g_autofree char *backend = g_strconcat("backend,", chain->permission, NULL);
  g_autofree char *less = g_strconcat("spec,", chain->less, NULL);
  unsigned needed = 0, more = 0, further = 0, shifted = 0;
  for (int i = 0; i < DATA_SETS; i++) {
    trial_t trial;
    make_trial(chain->line, &trial);
    draw_data(&rng, chain->scale, &trial.instance);
    simulate(&trial, chain->permission, i % 2 == 1);
    g_assert_cmpuint(count_wrong(&trial, spec), ==, 0);
    g_assert_cmpuint(count_wrong(&trial, backend), ==, 0);
    needed += count_wrong(&trial, "spec");
    if (chain->less != NULL) more += count_wrong(&trial, less);
    if (shift(&trial, 400, chain->permission)) {
      shifted++;
      further += count_wrong(&trial, spec) > 0;
    }
    arena_deinit(&trial.arena);
  }
  g_test_message(
      "%u elements need it, %u of them all of it; %u of %u that are further off are wrong", needed,
      more, further, shifted);
  g_assert_cmpint(needed > 0, ==, chain->shows);
  g_assert_cmpint(more > 0, ==, chain->less != NULL);
  g_assert_cmpuint(shifted, >, DATA_SETS / 2);
  g_assert_cmpuint(further, ==, shifted);
}

/* XLA 0.10 on x = 0.3: (x 0.1) 3.7 is computed as x 0.37. */
static void test_by_hand(void) {
  trial_t trial;
  make_trial(chains[0].line, &trial);
  float *data = (float *)(void *)trial.instance.operands[0].data;
  const float numbers[2] = {0.1f, 3.7f};
  unsigned unlike = 0;
  simulate(&trial, CONSTANTS, false);
  for (int k = 0; k < 4; k++) data[k] = 0.3f + 0.17f * (float)k;
  simulate(&trial, CONSTANTS, false);
  for (int k = 0; k < 4; k++) {
    const float combined = numbers[0] * numbers[1];
    const float by_steps = data[k] * numbers[0];
    float got;
    memcpy(&got, trial.results[0].data + 4 * (size_t)k, 4);
    g_assert_cmpfloat(got, ==, data[k] * combined);
    unlike += got != by_steps * numbers[1];
  }
  g_assert_cmpuint(unlike, >, 0);
  g_assert_cmpuint(count_wrong(&trial, "spec"), ==, unlike);
  arena_deinit(&trial.arena);
}

/* A factor that scaling makes subnormal is off by half of the smallest number, and that counts with
 * the other factor: 60000 rn(2^-24 3/4) in f16, where the program has (60000 / 4) 2^-24 3. */
static void test_scaled_to_subnormal(void) {
  trial_t trial;
  make_trial(
      "module steps={v0=constant(f16[1,1],3400);"
      "v1=stablehlo.multiply(a0,v0) f16[1,1] f16[1,1] -> f16[1,1];"
      "v2=stablehlo.dot_general(v1,a1) batch=[]x[] contract=[1]x[0] "
      "f16[1,1] f16[1,1] -> f16[1,1];return(v2)} f16[1,1] f16[1,1] -> f16[1,1]",
      &trial);
  const element_t *element = trial.instance.operands[0].type.element;
  element_store(element, trial.instance.operands[0].data, 0,
                format_from_double(element->format, 60000));
  element_store(element, trial.instance.operands[1].data, 0, 3);
  simulate(&trial, SCALES, false);
  for (int times = 1; times <= 2; times++) {
    element_store(element, trial.results[0].data, 0,
                  format_from_double(element->format, times * 60000 * 0x1p-24));
    g_assert_cmpuint(count_wrong(&trial, "backend," SCALES), ==, times == 1 ? 0 : 1);
    g_assert_cmpuint(count_wrong(&trial, "backend"), ==, 1);
  }
  arena_deinit(&trial.arena);
}

/* Values that are used twice at each step: what could be computed in their place doubles with each,
 * so that nothing is said, and soon. */
static void test_used_twice(void) {
  static const char *const names[] = {"divide", "multiply"};
  for (size_t n = 0; n < G_N_ELEMENTS(names); n++) {
    enum { STEPS = 40 };
    g_autoptr(GString) line = g_string_new("module steps={");
    g_string_append(line, n == 0 ? "v0=stablehlo.divide(a0,a0) f32[2] f32[2] -> f32[2];"
                                 : "v0=stablehlo.exponential(a0) f32[2] -> f32[2];");
    for (int i = 1; i <= STEPS; i++) {
      g_string_append_printf(line, "v%d=stablehlo.%s(v%d,v%d) f32[2] f32[2] -> f32[2];", i,
                             names[n], i - 1, i - 1);
    }
    g_string_append_printf(line, "return(v%d)} f32[2] -> f32[2]", STEPS);
    trial_t trial;
    make_trial(line->str, &trial);
    memset(trial.instance.operands[0].data, 0x3f, 8);
    simulate(&trial, QUOTIENTS, false);
    g_assert_cmpuint(count_wrong(&trial, "backend," QUOTIENTS), ==, 0);
    arena_deinit(&trial.arena);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(chains); i++) {
    g_autofree char *path = g_strdup_printf("/module_algebra/chain/%zu", i);
    g_test_add_data_func(path, &chains[i], test_chain);
  }
  g_test_add_func("/module_algebra/by-hand", test_by_hand);
  g_test_add_func("/module_algebra/scaled-to-subnormal", test_scaled_to_subnormal);
  g_test_add_func("/module_algebra/used-twice", test_used_twice);
  return g_test_run();
}

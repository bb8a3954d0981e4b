/* SPDX-License-Identifier: Apache-2.0 */
/* A backend of sums, differences and products of two f32 tensors, and of modules of these.  With
 * the option fuse=... it runs modules, and nothing else, otherwise than op by op: fma   the sum of
 * a product and another tensor is rounded once tail  the last step leaves its last element out: it
 * is that of its first operand bit   the last bit of the first element is the other one */
#include <math.h>

#include "harness/exec/executor_helpers.h"
#include "tests/exec/dso/backend.h"

enum { VALUES_MAX = 64, COUNT_MAX = 1 << 16 };

typedef struct step {
  char op;                  /* '+', '-' or '*'. */
  uint32_t left, right, to; /* Values; of a program of one op 0, 1 and 2. */
} step_t;

typedef struct compiled {
  const char *fuse;
  bool is_module;
  size_t count; /* Elements of each value. */
  uint32_t step_count, operand_count, result;
  step_t steps[VALUES_MAX];
  float *values[VALUES_MAX];
} compiled_t;

static int32_t open_twins(const char *options, void **out_self, assay_reason_t *reason) {
  char *fuse = calloc(1, ASSAY_OPTION_BYTES);
  if (fuse == NULL) return ASSAY_EXECUTOR_FAILED;
  const assay_option_t known[] = {{"fuse", fuse}};
  *out_self = fuse;
  return assay_read_options(options, known, 1, reason);
}

static char letter_of(const char *op) {
  static const struct {
    const char *op;
    char letter;
  } known[] = {{"stablehlo.add", '+'},
               {"byteir.addn", '+'},
               {"stablehlo.subtract", '-'},
               {"stablehlo.multiply", '*'}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcmp(op, known[i].op) == 0) return known[i].letter;
  }
  return '\0';
}

/* Of two operands of f32, all of as many elements. */
static bool is_known(const assay_program_t *program, size_t count) {
  return letter_of(program->op) != '\0' && program->operand_count == 2 &&
         program->result_count == 1 && program->attribute_count == 0 &&
         assay_type_is(&program->operands[0], "f32") &&
         assay_type_is(&program->operands[1], "f32") &&
         assay_type_count(&program->operands[0]) == count &&
         assay_type_count(&program->operands[1]) == count;
}

static bool read_steps(const assay_module_t *module, compiled_t *compiled) {
  if (module->constant_count > 0 || module->step_count > VALUES_MAX) return false;
  compiled->is_module = true;
  for (uint32_t i = 0; i < module->step_count; i++) {
    const assay_step_t *step = &module->steps[i];
    if (!is_known(step->program, compiled->count) || step->results[0] >= VALUES_MAX) return false;
    compiled->steps[compiled->step_count++] = (step_t){
        letter_of(step->program->op), step->operands[0], step->operands[1], step->results[0]};
  }
  compiled->result = module->returns[0];
  return module->value_count <= VALUES_MAX;
}

static bool read_program(const assay_program_t *program, compiled_t *compiled) {
  if (program->result_count != 1 || program->operand_count == 0) return false;
  compiled->count = assay_type_count(&program->results[0]);
  compiled->operand_count = program->operand_count;
  if (compiled->count > COUNT_MAX) return false;
  if (program->module != NULL) return read_steps(program->module, compiled);
  if (!is_known(program, compiled->count)) return false;
  compiled->steps[compiled->step_count++] = (step_t){letter_of(program->op), 0, 1, 2};
  compiled->result = 2;
  return true;
}

static void release_twins(void *self, void *handle) {
  (void)self;
  compiled_t *compiled = handle;
  for (uint32_t i = 0; i < VALUES_MAX; i++) free(compiled->values[i]);
  free(compiled);
}

static int32_t compile_twins(void *self, const assay_program_t *program, void **out_handle,
                             assay_reason_t *reason) {
  compiled_t *compiled = calloc(1, sizeof *compiled);
  if (compiled == NULL) return ASSAY_EXECUTOR_FAILED;
  compiled->fuse = self;
  if (!read_program(program, compiled)) {
    release_twins(self, compiled);
    snprintf(reason->text, reason->text_bytes, "sums and products of two f32 tensors only");
    return ASSAY_EXECUTOR_UNSUPPORTED;
  }
  for (uint32_t i = 0; i < VALUES_MAX; i++) {
    compiled->values[i] = malloc(COUNT_MAX * sizeof(float));
    if (compiled->values[i] == NULL) {
      release_twins(self, compiled);
      return ASSAY_EXECUTOR_FAILED;
    }
  }
  *out_handle = compiled;
  return ASSAY_EXECUTOR_OK;
}

static float apply(char op, float left, float right) {
  return op == '+' ? left + right : op == '-' ? left - right : left * right;
}

/* The product that a step adds something to, or NULL. */
static const step_t *product_of(const compiled_t *compiled, const step_t *step) {
  if (step->op != '+' || !compiled->is_module || strcmp(compiled->fuse, "fma") != 0) return NULL;
  for (uint32_t i = 0; i < compiled->step_count; i++) {
    const step_t *other = &compiled->steps[i];
    if (other->to == step->left && other->op == '*') return other;
  }
  return NULL;
}

static void run_step(const compiled_t *compiled, const step_t *step) {
  float *const *values = compiled->values;
  const step_t *product = product_of(compiled, step);
  for (size_t i = 0; i < compiled->count; i++) {
    values[step->to][i] =
        product == NULL
            ? apply(step->op, values[step->left][i], values[step->right][i])
            : fmaf(values[product->left][i], values[product->right][i], values[step->right][i]);
  }
}

static void spoil(const compiled_t *compiled) {
  if (!compiled->is_module || compiled->count == 0) return;
  const step_t *last = &compiled->steps[compiled->step_count - 1];
  float *result = compiled->values[compiled->result];
  if (strcmp(compiled->fuse, "tail") == 0) {
    result[compiled->count - 1] = compiled->values[last->left][compiled->count - 1];
  }
  if (strcmp(compiled->fuse, "bit") == 0) {
    uint32_t bits;
    memcpy(&bits, result, sizeof bits);
    bits ^= 1;
    memcpy(result, &bits, sizeof bits);
  }
}

static int32_t execute_twins(void *self, void *handle, const void *const *operands,
                             void *const *results, assay_reason_t *reason) {
  (void)self;
  (void)reason;
  const compiled_t *compiled = handle;
  size_t bytes = compiled->count * sizeof(float);
  for (uint32_t i = 0; i < compiled->operand_count; i++) {
    memcpy(compiled->values[i], operands[i], bytes);
  }
  for (uint32_t i = 0; i < compiled->step_count; i++) run_step(compiled, &compiled->steps[i]);
  spoil(compiled);
  memcpy(results[0], compiled->values[compiled->result], bytes);
  return ASSAY_EXECUTOR_OK;
}

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  static assay_executor_t table;
  (void)abi_max;
  table = good_table;
  table.promises = NULL;
  table.open = open_twins;
  table.compile = compile_twins;
  table.execute = execute_twins;
  table.release = release_twins;
  table.close = free;
  return &table;
}

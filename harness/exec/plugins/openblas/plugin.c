/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS, and any library that has cblas: stablehlo.dot_general in the element type of the
 * operands.
 *
 *   openblas?coretype=Haswell,routine=dot,threads=1
 *   openblas?library=/usr/lib/libmkl_rt.so
 *
 * library   its path, or a name that the dynamic linker finds (default: libopenblas.so.0)
 * prefix    what its names begin with: scipy_
 * coretype  the kernels, by OpenBLAS's name: Prescott, Sandybridge, Haswell, Zen, SkylakeX, ...
 * routine   gemm (default); gemv, one call a column; dot, one call a result element; dsdot, the
 * same for f32 operands with an f64 result */
#include <strings.h>

#include "harness/exec/plugins/openblas/source.h"
#include "harness/exec/plugins/openblas/vendor.h"
#include "harness/exec/plugins/plugin_library.h"
#include "harness/exec/plugins/plugin_matrices.h"
#include "harness/exec/plugins/plugin_sized.h"

typedef struct openblas {
  plugin_library_t library;
  blas_t blas;
  char routine[ASSAY_OPTION_BYTES];
  char file[ASSAY_OPTION_BYTES];
  char prefix[ASSAY_OPTION_BYTES];
  char coretype_setting[ASSAY_OPTION_BYTES * 2]; /* In the library's environment. */
  char threads_setting[ASSAY_OPTION_BYTES * 2];
  vendor_t vendor;
} openblas_t;

/* ---- Opening. */

static bool is_routine(const char *option) {
  for (size_t i = 0; i < openblas_routine_count; i++) {
    if (strcmp(openblas_routines[i].option, option) == 0) return true;
  }
  return false;
}

static int32_t find_functions(openblas_t *openblas, const char *prefix, assay_reason_t *reason) {
#define FUNCTION(name)                                                                      \
  {                                                                                         \
    void *symbol = vendor_find(&openblas->library, prefix, #name);                          \
    if (symbol == NULL) {                                                                   \
      return assay_explain(reason, ASSAY_EXECUTOR_FAILED,                                   \
                           "the library has no function %s%s(): is it a cblas with 32-bit " \
                           "integers, and option prefix right?",                            \
                           prefix, #name);                                                  \
    }                                                                                       \
    memcpy(&openblas->blas.name, &symbol, sizeof symbol);                                   \
  }
  CBLAS_FUNCTIONS(FUNCTION)
#undef FUNCTION
  return ASSAY_EXECUTOR_OK;
}

typedef struct options {
  char coretype[ASSAY_OPTION_BYTES];
  char threads[ASSAY_OPTION_BYTES];
  char library[ASSAY_OPTION_BYTES];
  char prefix[ASSAY_OPTION_BYTES];
} options_t;

/* Loads the library with the wanted kernels, and makes sure that it took them. */
static int32_t load(openblas_t *openblas, const options_t *options, assay_reason_t *reason) {
  const char *coretype = options->coretype;
  bool is_default = coretype[0] == '\0' && strcmp(options->threads, "1") == 0;
  snprintf(openblas->threads_setting, sizeof openblas->threads_setting, "OPENBLAS_NUM_THREADS=%s",
           options->threads);
  snprintf(openblas->coretype_setting, sizeof openblas->coretype_setting, "OPENBLAS_CORETYPE=%s",
           coretype);
  char *const settings[] = {openblas->threads_setting,
                            coretype[0] == '\0' ? NULL : openblas->coretype_setting, NULL};
  int32_t code =
      plugin_library_open(options->library, !is_default, settings, &openblas->library, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  code = find_functions(openblas, options->prefix, reason);
  if (code == ASSAY_EXECUTOR_OK) {
    code = vendor_set_up(&openblas->library, options->prefix,
                         (int)strtol(options->threads, NULL, 10), &openblas->vendor, reason);
  }
  if (code == ASSAY_EXECUTOR_OK && coretype[0] != '\0' &&
      strcasecmp(openblas->vendor.hardware, coretype) != 0) {
    code =
        assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                      "coretype=%.64s: %s does not have it on this processor and takes %s",
                      coretype, openblas->vendor.name,
                      openblas->vendor.hardware[0] == '\0' ? "its own" : openblas->vendor.hardware);
  }
  if (code != ASSAY_EXECUTOR_OK) plugin_library_close(&openblas->library);
  return code;
}

static int32_t open_options(openblas_t *openblas, const char *text, assay_reason_t *reason) {
  options_t options = {.threads = "1", .library = "libopenblas.so.0"};
  snprintf(openblas->routine, sizeof openblas->routine, "gemm");
  const assay_option_t known[] = {{"coretype", options.coretype},
                                  {"routine", openblas->routine},
                                  {"threads", options.threads},
                                  {"library", options.library},
                                  {"prefix", options.prefix}};
  int32_t code = assay_read_options(text, known, sizeof known / sizeof known[0], reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  if (!is_routine(openblas->routine)) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                         "routine=%s: write gemm, gemv, dot or dsdot", openblas->routine);
  }
  code = plugin_check_threads(options.threads, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  memcpy(openblas->file, options.library, sizeof openblas->file);
  memcpy(openblas->prefix, options.prefix, sizeof openblas->prefix);
  return load(openblas, &options, reason);
}

static int32_t openblas_open(const char *options, void **out_self, assay_reason_t *reason) {
  openblas_t *openblas = calloc(1, sizeof *openblas);
  if (openblas == NULL) return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  int32_t code = open_options(openblas, options, reason);
  if (code == ASSAY_EXECUTOR_OK) {
    *out_self = openblas;
  } else {
    free(openblas);
  }
  return code;
}

static const char *openblas_name(void *self) {
  (void)self;
  return "openblas";
}

static const char *openblas_version(void *self) {
  return ((const openblas_t *)self)->vendor.version;
}

static const char *openblas_hardware(void *self) {
  return ((const openblas_t *)self)->vendor.hardware;
}

static void openblas_close(void *self) {
  openblas_t *openblas = self;
  plugin_library_close(&openblas->library);
  free(openblas);
}

/* ---- Programs. */

typedef struct compiled {
  const routine_t *routine;
  plugin_matrices_t matrices;
  void *lhs_packed; /* Room to gather an operand that is not in place, or NULL. */
  void *rhs_packed;
  char implementation[32]; /* "sgemm NT" */
} compiled_t;

/* The routine for a program, or why there is none. */
static int32_t choose(const openblas_t *openblas, const assay_program_t *program,
                      plugin_matrices_t *out_matrices, const routine_t **out_routine,
                      assay_reason_t *reason) {
  int32_t code = plugin_matrices_make(program, out_matrices, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  for (size_t i = 0; i < openblas_routine_count; i++) {
    const routine_t *routine = &openblas_routines[i];
    if (strcmp(routine->option, openblas->routine) != 0) continue;
    if (!assay_type_is(&program->operands[0], routine->operand)) continue;
    if (!assay_type_is(&program->results[0], routine->result)) continue;
    if (!plugin_algorithm_suits(program, routine->algorithm)) {
      return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s does not do algorithm %s",
                           routine->name, assay_attribute_text(program, "algorithm"));
    }
    if (routine->needs_terms && out_matrices->terms == 0) {
      return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s needs terms to add",
                           routine->name);
    }
    *out_routine = routine;
    return ASSAY_EXECUTOR_OK;
  }
  return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no %s from %s to %s", openblas->routine,
                       program->operands[0].element, program->results[0].element);
}

static int32_t promises_known(void *self, const assay_program_t *program) {
  char text[256];
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  plugin_matrices_t matrices = {0};
  const routine_t *routine = NULL;
  return choose(self, program, &matrices, &routine, &reason) == ASSAY_EXECUTOR_OK;
}

static void release_known(void *self, void *handle) {
  (void)self;
  compiled_t *compiled = handle;
  free(compiled->lhs_packed);
  free(compiled->rhs_packed);
  free(compiled);
}

/* False without memory. */
static bool make_room(const plugin_operand_t *operand, size_t bytes, void **out_room) {
  if (operand->is_in_place || operand->element_count == 0) return true;
  *out_room = calloc(operand->element_count, bytes);
  return *out_room != NULL;
}

static int32_t compile_known(void *self, const assay_program_t *program, void **out_handle,
                             assay_reason_t *reason) {
  plugin_matrices_t matrices = {0};
  const routine_t *routine = NULL;
  int32_t code = choose(self, program, &matrices, &routine, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  compiled_t *compiled = calloc(1, sizeof *compiled);
  if (compiled == NULL) return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  compiled->routine = routine;
  compiled->matrices = matrices;
  snprintf(compiled->implementation, sizeof compiled->implementation, "%s %c%c", routine->name,
           matrices.lhs.is_terms_first ? 'T' : 'N', matrices.rhs.is_terms_first ? 'N' : 'T');
  if (!make_room(&matrices.lhs, routine->operand_bytes, &compiled->lhs_packed) ||
      !make_room(&matrices.rhs, routine->operand_bytes, &compiled->rhs_packed)) {
    release_known(self, compiled);
    return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  }
  *out_handle = compiled;
  return ASSAY_EXECUTOR_OK;
}

/* ---- Handles. */

static const plugin_compiler_t compiler = {promises_known, compile_known, release_known};

static int32_t openblas_promises(void *self, const assay_program_t *program) {
  return plugin_promises(self, program, &compiler);
}

static int32_t openblas_compile(void *self, const assay_program_t *program, void **out_handle,
                                assay_reason_t *reason) {
  return plugin_compile(self, program, &compiler, out_handle, reason);
}

static void openblas_release(void *self, void *handle) { plugin_release(self, handle, &compiler); }

static const char *openblas_implementation(void *self, void *handle) {
  (void)self;
  const compiled_t *compiled = ((const plugin_handle_t *)handle)->compiled;
  return compiled == NULL ? NULL : compiled->implementation;
}

/* ---- Running. */

/* Where the operand's matrices lie, gathered into `packed` unless they are in place. */
static const char *prepare(const plugin_operand_t *operand, size_t bytes, const void *data,
                           void *packed) {
  if (operand->is_in_place || operand->element_count == 0) return data;
  plugin_gather(operand, bytes, data, packed);
  return packed;
}

static matrix_t view_matrix(const plugin_operand_t *operand, int64_t outer, int64_t terms) {
  int64_t leading = operand->is_terms_first ? outer : terms;
  return (matrix_t){.transpose = operand->is_terms_first ? CblasTrans : CblasNoTrans,
                    .leading = (blasint)(leading == 0 ? 1 : leading),
                    .outer_stride = (blasint)(operand->is_terms_first ? 1 : terms),
                    .term_stride = (blasint)(operand->is_terms_first ? outer : 1)};
}

/* What is multiplied, of the first of the batch. */
static product_t make_product(const compiled_t *compiled, const void *const *operands) {
  const plugin_matrices_t *matrices = &compiled->matrices;
  size_t bytes = compiled->routine->operand_bytes;
  product_t product = {.rows = (blasint)matrices->rows,
                       .columns = (blasint)matrices->columns,
                       .terms = (blasint)matrices->terms,
                       .lhs = view_matrix(&matrices->lhs, matrices->rows, matrices->terms),
                       .rhs = view_matrix(&matrices->rhs, matrices->columns, matrices->terms)};
  product.lhs.data = prepare(&matrices->lhs, bytes, operands[0], compiled->lhs_packed);
  product.rhs.data = prepare(&matrices->rhs, bytes, operands[1], compiled->rhs_packed);
  return product;
}

static int32_t execute_known(void *self, void *known, const void *const *operands,
                             void *const *results, assay_reason_t *reason) {
  (void)reason;
  const openblas_t *openblas = self;
  const compiled_t *compiled = known;
  const routine_t *routine = compiled->routine;
  const plugin_matrices_t *matrices = &compiled->matrices;
  if (matrices->batch == 0 || matrices->rows == 0 || matrices->columns == 0) {
    return ASSAY_EXECUTOR_OK; /* The result has no elements. */
  }
  product_t product = make_product(compiled, operands);
  const char *lhs = product.lhs.data, *rhs = product.rhs.data;
  char *result = results[0];
  for (int64_t batch = 0; batch < matrices->batch; batch++) {
    product.lhs.data = lhs;
    product.rhs.data = rhs;
    product.result = result;
    routine->run(&openblas->blas, &product);
    lhs += (size_t)(matrices->rows * matrices->terms) * routine->operand_bytes;
    rhs += (size_t)(matrices->columns * matrices->terms) * routine->operand_bytes;
    result += (size_t)(matrices->rows * matrices->columns) * routine->result_bytes;
  }
  return ASSAY_EXECUTOR_OK;
}

/* The settings that are written down for a shell. */
static int32_t openblas_write_c(void *self, void *handle, const void *const *operands,
                                char **out_text, assay_reason_t *reason) {
  const openblas_t *openblas = self;
  const compiled_t *compiled = ((const plugin_handle_t *)handle)->compiled;
  if (compiled == NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                         "sizes that are unknown when it is compiled");
  }
  char version[512], settings[4 * ASSAY_OPTION_BYTES + 2];
  snprintf(version, sizeof version, "%s", openblas->vendor.version);
  bool has_coretype = openblas->coretype_setting[strlen("OPENBLAS_CORETYPE=")] != '\0';
  snprintf(settings, sizeof settings, "%s%s%s", openblas->threads_setting, has_coretype ? " " : "",
           has_coretype ? openblas->coretype_setting : "");
  const blas_source_t source = {.library = openblas->file,
                                .version = version,
                                .prefix = openblas->prefix,
                                .settings = settings,
                                .routine = compiled->routine,
                                .product = make_product(compiled, operands),
                                .batch = (size_t)compiled->matrices.batch};
  plugin_source_t text;
  if (!plugin_source_begin(&text)) {
    return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  }
  return plugin_source_end(&text, blas_source_write(&source, text.out, reason), out_text, reason);
}

static int32_t openblas_execute(void *self, void *handle, const void *const *operands,
                                void *const *results, assay_reason_t *reason) {
  return execute_known(self, ((const plugin_handle_t *)handle)->compiled, operands, results,
                       reason);
}

static int32_t openblas_execute_sized(void *self, void *handle, const assay_sizes_t *sizes,
                                      const void *const *operands, void *const *results,
                                      assay_reason_t *reason) {
  int32_t code = plugin_take_sizes(self, handle, sizes, &compiler, reason);
  return code == ASSAY_EXECUTOR_OK ? openblas_execute(self, handle, operands, results, reason)
                                   : code;
}

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  static const assay_executor_t table = {.abi = 1,
                                         .struct_size = sizeof(assay_executor_t),
                                         .open = openblas_open,
                                         .name = openblas_name,
                                         .version = openblas_version,
                                         .hardware = openblas_hardware,
                                         .promises = openblas_promises,
                                         .compile = openblas_compile,
                                         .execute = openblas_execute,
                                         .implementation = openblas_implementation,
                                         .release = openblas_release,
                                         .close = openblas_close,
                                         .execute_sized = openblas_execute_sized,
                                         .validates = 1,
                                         .write_c = openblas_write_c};
  return abi_max >= 1 ? &table : NULL;
}

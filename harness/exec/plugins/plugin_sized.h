/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with sizes that are unknown when they are compiled, by libraries that prepare one for
 * given sizes: as frameworks have such a library, what is prepared is kept, and made again where
 * the next call has other sizes.  A backend that uses it has the handles that it makes. */
#ifndef ASSAY_EXEC_PLUGINS_PLUGIN_SIZED_H
#define ASSAY_EXEC_PLUGINS_PLUGIN_SIZED_H

#include "harness/exec/assay_kernel.h"
#include "harness/exec/plugins/plugin.h"

/* What a backend does of programs whose sizes are all known: assay_executor_t's functions. */
typedef struct plugin_compiler {
  int32_t (*promises)(void *self, const assay_program_t *program);
  int32_t (*compile)(void *self, const assay_program_t *program, void **out_compiled,
                     assay_reason_t *reason);
  void (*release)(void *self, void *compiled);
} plugin_compiler_t;

/* A handle of the backend. */
typedef struct plugin_handle {
  void *compiled;                /* For the sizes at hand, by the compiler; or NULL. */
  assay_kernel_program_t *sized; /* What was compiled, with these sizes, if some are unknown. */
} plugin_handle_t;

static inline bool plugin_is_sized(const assay_program_t *program) {
  return assay_kernel_has_unknown(program->operands, program->operand_count) ||
         assay_kernel_has_unknown(program->results, program->result_count);
}

static inline void plugin_stand_in(const assay_type_t *types, const assay_type_t *copies,
                                   uint32_t count, int64_t size) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t d = 0; d < types[i].rank; d++) {
      int64_t *place = (int64_t *)(uintptr_t)&copies[i].dims[d];
      *place = types[i].dims[d] < 0 ? size : types[i].dims[d];
    }
  }
}

/* Sizes of one call, by which it is seen whether the library takes a program: the next after
 * `number`, or false after the last.  Not all of them may make a program of it. */
static inline bool plugin_next_size(size_t number, const assay_program_t *program,
                                    const assay_kernel_program_t *copy) {
  static const int64_t sizes[] = {4, 8, 2, 1, 16, 32};
  if (number == sizeof sizes / sizeof sizes[0]) return false;
  plugin_stand_in(program->operands, copy->program.operands, program->operand_count, sizes[number]);
  plugin_stand_in(program->results, copy->program.results, program->result_count, sizes[number]);
  return true;
}

/* assay_executor_t.promises */
static inline int32_t plugin_promises(void *self, const assay_program_t *program,
                                      const plugin_compiler_t *compiler) {
  if (!plugin_is_sized(program)) return compiler->promises(self, program);
  assay_kernel_program_t *copy = assay_kernel_copy(program);
  int32_t is_promised = 0;
  for (size_t i = 0; copy != NULL && is_promised == 0 && plugin_next_size(i, program, copy); i++) {
    is_promised = compiler->promises(self, &copy->program);
  }
  free(copy);
  return is_promised;
}

/* What the library takes at some size, it takes: what it says of others is said when they come. */
static inline int32_t plugin_compile_sized(void *self, const assay_program_t *program,
                                           const plugin_compiler_t *compiler,
                                           plugin_handle_t *handle, assay_reason_t *reason) {
  handle->sized = assay_kernel_copy(program);
  if (handle->sized == NULL) return ASSAY_EXECUTOR_FAILED;
  int32_t code = ASSAY_EXECUTOR_UNSUPPORTED;
  for (size_t i = 0; code != ASSAY_EXECUTOR_OK && plugin_next_size(i, program, handle->sized);
       i++) {
    code = compiler->compile(self, &handle->sized->program, &handle->compiled, reason);
    if (code == ASSAY_EXECUTOR_FAILED) return code;
  }
  return code == ASSAY_EXECUTOR_OK ? code : ASSAY_EXECUTOR_UNSUPPORTED;
}

/* assay_executor_t.release */
static inline void plugin_release(void *self, void *handle, const plugin_compiler_t *compiler) {
  plugin_handle_t *made = (plugin_handle_t *)handle;
  if (made->compiled != NULL) compiler->release(self, made->compiled);
  free(made->sized);
  free(made);
}

/* assay_executor_t.compile */
static inline int32_t plugin_compile(void *self, const assay_program_t *program,
                                     const plugin_compiler_t *compiler, void **out_handle,
                                     assay_reason_t *reason) {
  plugin_handle_t *handle = (plugin_handle_t *)calloc(1, sizeof *handle);
  if (handle == NULL) return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  int32_t code = plugin_is_sized(program)
                     ? plugin_compile_sized(self, program, compiler, handle, reason)
                     : compiler->compile(self, program, &handle->compiled, reason);
  if (code == ASSAY_EXECUTOR_OK) {
    *out_handle = handle;
  } else {
    plugin_release(self, handle, compiler);
  }
  return code;
}

static inline bool plugin_has_sizes(const assay_type_t *types, uint32_t count,
                                    const int64_t *const *sizes) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t d = 0; d < types[i].rank; d++) {
      if (types[i].dims[d] != sizes[i][d]) return false;
    }
  }
  return true;
}

/* Has handle->compiled for these sizes, before assay_executor_t.execute_sized() runs it. */
static inline int32_t plugin_take_sizes(void *self, plugin_handle_t *handle,
                                        const assay_sizes_t *sizes,
                                        const plugin_compiler_t *compiler, assay_reason_t *reason) {
  const assay_program_t *program = &handle->sized->program;
  if (handle->compiled != NULL &&
      plugin_has_sizes(program->operands, program->operand_count, sizes->operands) &&
      plugin_has_sizes(program->results, program->result_count, sizes->results)) {
    return ASSAY_EXECUTOR_OK;
  }
  if (handle->compiled != NULL) compiler->release(self, handle->compiled);
  handle->compiled = NULL;
  assay_kernel_set_sizes(program->operands, program->operand_count, sizes->operands);
  assay_kernel_set_sizes(program->results, program->result_count, sizes->results);
  return compiler->compile(self, program, &handle->compiled, reason);
}

#endif

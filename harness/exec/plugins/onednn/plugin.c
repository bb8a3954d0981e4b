/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN: each op by one primitive of the library, see onednn/plan.c.
 *
 *   onednn?isa=AVX2,types=any,threads=1,fpmath=bf16
 *
 * isa    the newest instruction set that it may use, by oneDNN's name: SSE41, AVX, AVX2, AVX2_VNNI,
 *        AVX512_CORE, AVX512_CORE_VNNI, AVX512_CORE_BF16, AVX512_CORE_AMX
 * types  documented (default), or any: also those that it takes without documenting them
 * fpmath which type it may convert f32 to before it computes: strict (default; none), bf16, f16,
 * any. What it does then depends on the processor; it refuses programs that name an algorithm */
#include "harness/exec/plugins/onednn/session.h"
#include "harness/exec/plugins/onednn/source/source.h"
#include "harness/exec/plugins/plugin_sized.h"

/* ---- Opening. */

static void onednn_close(void *self) {
  onednn_t *onednn = self;
  const dnnl_functions_t *dnnl = &onednn->dnnl;
  if (onednn->attributes != NULL) dnnl->dnnl_primitive_attr_destroy(onednn->attributes);
  if (onednn->stream != NULL) dnnl->dnnl_stream_destroy(onednn->stream);
  if (onednn->engine != NULL) dnnl->dnnl_engine_destroy(onednn->engine);
  /* The threads of SYCL do not survive that their code is unloaded. */
  bool can_unload = !onednn->has_device;
  if (onednn->library.handle != NULL && can_unload) plugin_library_close(&onednn->library);
  free(onednn);
}

static int32_t onednn_open(const char *options, void **out_self, assay_reason_t *reason) {
  onednn_t *onednn = calloc(1, sizeof *onednn);
  if (onednn == NULL) return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  int32_t code = onednn_open_options(onednn, options, reason);
  if (code == ASSAY_EXECUTOR_OK) {
    *out_self = onednn;
  } else {
    onednn_close(onednn);
  }
  return code;
}

static const char *onednn_name(void *self) {
  (void)self;
  return "onednn";
}

static const char *onednn_version(void *self) { return ((const onednn_t *)self)->version; }

static const char *onednn_hardware(void *self) { return ((const onednn_t *)self)->hardware; }

/* ---- Programs. */

typedef struct compiled {
  plan_t plan;                      /* Of one that runs before another, the other's own. */
  struct compiled *before;          /* Or NULL. */
  void *middle;                     /* What it makes. */
  dnnl_primitive_desc_t descriptor; /* Owns the implementation's name. */
  dnnl_primitive_t primitive;
  dnnl_memory_t inputs[PLAN_INPUTS_MAX];
  dnnl_memory_t output;
  void *packed[PLAN_INPUTS_MAX]; /* Room to prepare an operand in, or NULL. */
} compiled_t;

/* A mode lets oneDNN compute in less than f32, and obliges it to nothing. */
static int32_t make(const onednn_t *onednn, const assay_program_t *program, plan_t *out_plan,
                    assay_reason_t *reason) {
  bool is_strict = onednn->fpmath == dnnl_fpmath_mode_strict;
  if (!is_strict && assay_attribute_text(program, "algorithm") != NULL) {
    *out_plan = (plan_t){.kind = PLAN_OPERATION};
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                         "no algorithm is promised where fpmath is not strict");
  }
  return plan_make(&onednn->dnnl, program, onednn->takes_any_types, out_plan, reason);
}

static int32_t choose(const onednn_t *onednn, const plan_t *plan,
                      dnnl_primitive_desc_t *out_descriptor, assay_reason_t *reason) {
  return plan_choose(&onednn->dnnl, plan, onednn->engine, onednn->attributes, out_descriptor,
                     reason);
}

/* Promised is what the library has an implementation for. */
static int32_t promises_known(void *self, const assay_program_t *program) {
  const onednn_t *onednn = self;
  char text[256];
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  plan_t plan;
  onednn_use_threads(onednn);
  int32_t code = make(onednn, program, &plan, &reason);
  for (const plan_t *next = &plan; code == ASSAY_EXECUTOR_OK && next != NULL; next = next->before) {
    dnnl_primitive_desc_t descriptor = NULL;
    code = choose(onednn, next, &descriptor, &reason);
    if (descriptor != NULL) onednn->dnnl.dnnl_primitive_desc_destroy(descriptor);
  }
  plan_release(&onednn->dnnl, &plan);
  return code == ASSAY_EXECUTOR_OK;
}

static void release(const onednn_t *onednn, compiled_t *compiled) {
  const dnnl_functions_t *dnnl = &onednn->dnnl;
  if (compiled->before != NULL) release(onednn, compiled->before);
  free(compiled->middle);
  for (uint32_t i = 0; i < compiled->plan.input_count; i++) {
    free(compiled->packed[i]);
    if (compiled->inputs[i] != NULL) dnnl->dnnl_memory_destroy(compiled->inputs[i]);
  }
  if (compiled->output != NULL) dnnl->dnnl_memory_destroy(compiled->output);
  if (compiled->primitive != NULL) dnnl->dnnl_primitive_destroy(compiled->primitive);
  if (compiled->descriptor != NULL) dnnl->dnnl_primitive_desc_destroy(compiled->descriptor);
  free(compiled);
}

static void release_known(void *self, void *handle) {
  const onednn_t *onednn = self;
  plan_t plan = ((compiled_t *)handle)->plan;
  release(onednn, handle);
  plan_release(&onednn->dnnl, &plan);
}

static dnnl_status_t make_memory(const onednn_t *onednn, const dnnl_memory_desc_t *description,
                                 dnnl_memory_t *out_memory) {
  if (onednn->dnnl.version3 != NULL) {
    return version3_memory_create(onednn->dnnl.version3, out_memory, description, onednn->engine);
  }
  return onednn->dnnl.dnnl_memory_create(out_memory, description, onednn->engine, DNNL_MEMORY_NONE);
}

static dnnl_status_t make_memories(const onednn_t *onednn, compiled_t *compiled) {
  const plan_t *plan = &compiled->plan;
  for (uint32_t i = 0; i < plan->input_count; i++) {
    if (plan->prepare[i] != NULL) {
      compiled->packed[i] = calloc(plan->packed_bytes[i], 1);
      if (compiled->packed[i] == NULL) return dnnl_out_of_memory;
    }
    dnnl_status_t status = make_memory(onednn, &plan->inputs[i], &compiled->inputs[i]);
    if (status != dnnl_success) return status;
  }
  return make_memory(onednn, &plan->output, &compiled->output);
}

static int32_t compile_plan(const onednn_t *onednn, compiled_t *compiled, assay_reason_t *reason) {
  const dnnl_functions_t *dnnl = &onednn->dnnl;
  int32_t code = choose(onednn, &compiled->plan, &compiled->descriptor, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  dnnl_status_t status = dnnl->dnnl_primitive_create(&compiled->primitive, compiled->descriptor);
  if (status == dnnl_success) status = make_memories(onednn, compiled);
  code = plan_answer(dnnl, status, "primitive", reason);
  if (code != ASSAY_EXECUTOR_OK || compiled->plan.before == NULL) return code;
  compiled->before = calloc(1, sizeof *compiled->before);
  compiled->middle = malloc(dnnl->dnnl_memory_desc_get_size(&compiled->plan.inputs[0]));
  if (compiled->before == NULL || compiled->middle == NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  }
  compiled->before->plan = *compiled->plan.before;
  return compile_plan(onednn, compiled->before, reason);
}

static int32_t compile_known(void *self, const assay_program_t *program, void **out_handle,
                             assay_reason_t *reason) {
  compiled_t *compiled = calloc(1, sizeof *compiled);
  if (compiled == NULL) return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  onednn_use_threads(self); /* The choice of an implementation depends on them too. */
  int32_t code = make(self, program, &compiled->plan, reason);
  if (code == ASSAY_EXECUTOR_OK) code = compile_plan(self, compiled, reason);
  if (code == ASSAY_EXECUTOR_OK) {
    *out_handle = compiled;
  } else {
    release_known(self, compiled);
  }
  return code;
}

/* ---- Handles. */

static const plugin_compiler_t compiler = {promises_known, compile_known, release_known};

static int32_t onednn_promises(void *self, const assay_program_t *program) {
  return plugin_promises(self, program, &compiler);
}

static int32_t onednn_compile(void *self, const assay_program_t *program, void **out_handle,
                              assay_reason_t *reason) {
  return plugin_compile(self, program, &compiler, out_handle, reason);
}

static void onednn_release(void *self, void *handle) { plugin_release(self, handle, &compiler); }

static const char *onednn_implementation(void *self, void *handle) {
  const onednn_t *onednn = self;
  const compiled_t *compiled = ((const plugin_handle_t *)handle)->compiled;
  const char *name = NULL;
  if (compiled == NULL) return NULL;
  dnnl_status_t status = onednn->dnnl.dnnl_primitive_desc_query(
      compiled->descriptor, dnnl_query_impl_info_str, 0, (void *)&name);
  return status == dnnl_success ? name : NULL;
}

/* ---- Running. */

/* oneDNN takes inputs as void *, and only reads them. */
static void *without_const(const void *data) {
  union {
    const void *read_only;
    void *any;
  } pointer = {.read_only = data};
  return pointer.any;
}

/* Input `i` as the primitive takes it. */
static const void *take_input(compiled_t *compiled, uint32_t i, const void *const *operands) {
  const plan_t *plan = &compiled->plan;
  const void *data = i == 0 && compiled->middle != NULL ? compiled->middle : plan->constants[i];
  if (data == NULL) data = operands[plan->is_wired ? plan->operand_of[i] : i];
  if (plan->prepare[i] == NULL) return data;
  plan->prepare[i](plan, i, data, compiled->packed[i]);
  return compiled->packed[i];
}

/* The initial value in the type of results; `room` is for it. */
static const void *take_init(const plan_t *plan, const void *const *operands, int32_t *room) {
  if (plan->promote == NULL) return operands[1];
  plan->promote(operands[1], room);
  return room;
}

static dnnl_status_t run(const onednn_t *onednn, compiled_t *compiled, const void *const *operands,
                         void *result) {
  const dnnl_functions_t *dnnl = &onednn->dnnl;
  const plan_t *plan = &compiled->plan;
  dnnl_exec_arg_t arguments[PLAN_INPUTS_MAX + 1];
  if (compiled->before != NULL) {
    const void *const source[] = {operands[plan->operand_of[0]]};
    dnnl_status_t status = run(onednn, compiled->before, source, compiled->middle);
    if (status != dnnl_success) return status;
  }
  for (uint32_t i = 0; i < plan->input_count; i++) {
    const void *data = take_input(compiled, i, operands);
    dnnl_status_t status =
        dnnl->dnnl_memory_set_data_handle(compiled->inputs[i], without_const(data));
    if (status != dnnl_success) return status;
    arguments[i] = (dnnl_exec_arg_t){plan->input_arguments[i], compiled->inputs[i]};
  }
  dnnl_status_t status = dnnl->dnnl_memory_set_data_handle(compiled->output, result);
  if (status != dnnl_success) return status;
  arguments[plan->input_count] = (dnnl_exec_arg_t){DNNL_ARG_DST, compiled->output};
  status = dnnl->dnnl_primitive_execute(compiled->primitive, onednn->stream,
                                        (int)plan->input_count + 1, arguments);
  return status == dnnl_success ? dnnl->dnnl_stream_wait(onednn->stream) : status;
}

static int32_t execute_known(void *self, void *known, const void *const *operands,
                             void *const *results, assay_reason_t *reason) {
  const onednn_t *onednn = self;
  compiled_t *compiled = known;
  onednn_use_threads(onednn);
  dnnl_status_t status = run(onednn, compiled, operands, results[0]);
  if (status != dnnl_success) {
    return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "oneDNN says %s",
                         onednn->dnnl.dnnl_status2str(status));
  }
  const plan_t *plan = &compiled->plan;
  if (plan->combine != NULL) {
    int32_t promoted = 0;
    plan->combine(results[0], plan->result_count, take_init(plan, operands, &promoted));
  }
  return ASSAY_EXECUTOR_OK;
}

static int32_t onednn_execute(void *self, void *handle, const void *const *operands,
                              void *const *results, assay_reason_t *reason) {
  return execute_known(self, ((const plugin_handle_t *)handle)->compiled, operands, results,
                       reason);
}

static int32_t onednn_write_c(void *self, void *handle, const void *const *operands,
                              char **out_text, assay_reason_t *reason) {
  const onednn_t *onednn = self;
  compiled_t *compiled = ((const plugin_handle_t *)handle)->compiled;
  if (compiled == NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                         "sizes that are unknown when it is compiled");
  }
  const plan_t *plan = &compiled->plan;
  char settings[sizeof onednn->threads_setting + sizeof onednn->device_setting + 1];
  snprintf(settings, sizeof settings, "%s%s%s", onednn->threads_setting,
           onednn->has_device ? " " : "", onednn->has_device ? onednn->device_setting : "");
  onednn_source_t source = {.library = onednn->file,
                            .version = onednn->version,
                            .settings = settings,
                            .isa = onednn->isa,
                            .fpmath = onednn->fpmath,
                            .is_version3 = onednn->dnnl.version3 != NULL,
                            .plan = plan};
  for (uint32_t i = 0; i < plan->input_count && plan->before == NULL; i++) {
    source.inputs[i] = take_input(compiled, i, operands);
  }
  int32_t promoted = 0;
  if (plan->combine != NULL) source.init = take_init(plan, operands, &promoted);
  plugin_source_t text;
  if (!plugin_source_begin(&text)) {
    return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  }
  int32_t code = onednn_source_write(&source, text.out, reason);
  return plugin_source_end(&text, code, out_text, reason);
}

static int32_t onednn_execute_sized(void *self, void *handle, const assay_sizes_t *sizes,
                                    const void *const *operands, void *const *results,
                                    assay_reason_t *reason) {
  int32_t code = plugin_take_sizes(self, handle, sizes, &compiler, reason);
  return code == ASSAY_EXECUTOR_OK ? onednn_execute(self, handle, operands, results, reason) : code;
}

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  static const assay_executor_t table = {.abi = 1,
                                         .struct_size = sizeof(assay_executor_t),
                                         .open = onednn_open,
                                         .name = onednn_name,
                                         .version = onednn_version,
                                         .hardware = onednn_hardware,
                                         .promises = onednn_promises,
                                         .compile = onednn_compile,
                                         .execute = onednn_execute,
                                         .implementation = onednn_implementation,
                                         .release = onednn_release,
                                         .close = onednn_close,
                                         .execute_sized = onednn_execute_sized,
                                         .validates = 1,
                                         .compiling_is_dear = 1,
                                         .write_c = onednn_write_c};
  return abi_max >= 1 ? &table : NULL;
}

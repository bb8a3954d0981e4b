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
#include <strings.h>

#include "harness/exec/plugins/onednn/onednn.h"
#include "harness/exec/plugins/plugin_library.h"

typedef struct onednn {
  plugin_library_t library;
  dnnl_functions_t dnnl;
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_attr_t attributes; /* Of primitives that have none of their own: how exact. */
  dnnl_fpmath_mode_t fpmath;        /* Strict: no less exact than the types say. */
  bool takes_any_types;
  int threads;
  void (*set_threads)(int count); /* NULL if the library is built without OpenMP. */
  char threads_setting[ASSAY_OPTION_BYTES * 2];
  char version[32];
  const char *hardware;
} onednn_t;

typedef struct isa_name {
  const char *name;
  dnnl_cpu_isa_t isa;
} isa_name_t;

static const isa_name_t isa_names[] = {
    {"SSE41", dnnl_cpu_isa_sse41},
    {"AVX", dnnl_cpu_isa_avx},
    {"AVX2", dnnl_cpu_isa_avx2},
    {"AVX2_VNNI", dnnl_cpu_isa_avx2_vnni},
    {"AVX512_CORE", dnnl_cpu_isa_avx512_core},
    {"AVX512_CORE_VNNI", dnnl_cpu_isa_avx512_core_vnni},
    {"AVX512_CORE_BF16", dnnl_cpu_isa_avx512_core_bf16},
    {"AVX512_CORE_AMX", dnnl_cpu_isa_avx512_core_amx},
};
enum { ISA_COUNT = sizeof isa_names / sizeof isa_names[0] };

/* ---- Opening. */

static int32_t find_functions(onednn_t *onednn, assay_reason_t *reason) {
#define FUNCTION(name)                                                   \
  {                                                                      \
    void *symbol = plugin_library_find(&onednn->library, #name, reason); \
    if (symbol == NULL) return ASSAY_EXECUTOR_FAILED;                    \
    memcpy(&onednn->dnnl.name, &symbol, sizeof symbol);                  \
  }
  ONEDNN_FUNCTIONS(FUNCTION)
#undef FUNCTION
  return ASSAY_EXECUTOR_OK;
}

/* Limits the instruction set, and makes sure that the library took it. */
static int32_t choose_isa(onednn_t *onednn, const char *isa, assay_reason_t *reason) {
  const dnnl_functions_t *dnnl = &onednn->dnnl;
  for (size_t i = 0; i < ISA_COUNT && isa[0] != '\0'; i++) {
    if (strcasecmp(isa_names[i].name, isa) != 0) continue;
    dnnl_status_t status = dnnl->dnnl_set_max_cpu_isa(isa_names[i].isa);
    if (status != dnnl_success) return plan_answer(dnnl, status, isa, reason);
  }
  dnnl_cpu_isa_t effective = dnnl->dnnl_get_effective_cpu_isa();
  onednn->hardware = "baseline";
  for (size_t i = 0; i < ISA_COUNT; i++) {
    if (isa_names[i].isa == effective) onednn->hardware = isa_names[i].name;
  }
  if (isa[0] == '\0' || strcasecmp(onednn->hardware, isa) == 0) return ASSAY_EXECUTOR_OK;
  return assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                       "isa=%s: oneDNN does not have it on this processor and takes %s", isa,
                       onednn->hardware);
}

/* oneDNN's threads are OpenMP's, which all copies of it share. */
static void find_threads(onednn_t *onednn, const char *threads) {
  onednn->threads = (int)strtol(threads, NULL, 10);
  void *symbol = dlsym(onednn->library.handle, "omp_set_num_threads");
  memcpy(&onednn->set_threads, &symbol, sizeof symbol);
}

/* To be called before the library works. */
static void use_threads(const onednn_t *onednn) {
  if (onednn->set_threads != NULL) onednn->set_threads(onednn->threads);
}

static int32_t create_engine(onednn_t *onednn, assay_reason_t *reason) {
  const dnnl_functions_t *dnnl = &onednn->dnnl;
  dnnl_status_t status = dnnl->dnnl_engine_create(&onednn->engine, dnnl_cpu, 0);
  if (status == dnnl_success) {
    status = dnnl->dnnl_stream_create(&onednn->stream, onednn->engine, dnnl_stream_default_flags);
  }
  if (status == dnnl_success) status = dnnl->dnnl_primitive_attr_create(&onednn->attributes);
  if (status == dnnl_success) {
    status = dnnl->dnnl_primitive_attr_set_fpmath_mode(onednn->attributes, onednn->fpmath);
  }
  return plan_answer(dnnl, status, "engine", reason);
}

static void onednn_close(void *self) {
  onednn_t *onednn = self;
  const dnnl_functions_t *dnnl = &onednn->dnnl;
  if (onednn->attributes != NULL) dnnl->dnnl_primitive_attr_destroy(onednn->attributes);
  if (onednn->stream != NULL) dnnl->dnnl_stream_destroy(onednn->stream);
  if (onednn->engine != NULL) dnnl->dnnl_engine_destroy(onednn->engine);
  if (onednn->library.handle != NULL) plugin_library_close(&onednn->library);
  free(onednn);
}

/* oneDNN 2 has four modes; tf32 is one of later versions. */
static int32_t choose_fpmath(onednn_t *onednn, const char *name, assay_reason_t *reason) {
  static const struct {
    const char *name;
    dnnl_fpmath_mode_t mode;
  } modes[] = {{"strict", dnnl_fpmath_mode_strict},
               {"bf16", dnnl_fpmath_mode_bf16},
               {"f16", dnnl_fpmath_mode_f16},
               {"any", dnnl_fpmath_mode_any}};
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    if (strcmp(name, modes[i].name) != 0) continue;
    onednn->fpmath = modes[i].mode;
    return ASSAY_EXECUTOR_OK;
  }
  return assay_explain(reason, ASSAY_EXECUTOR_INVALID,
                       "fpmath=%s: write strict, bf16, f16 or any, as this oneDNN has them", name);
}

static int32_t open_options(onednn_t *onednn, const char *options, assay_reason_t *reason) {
  char isa[ASSAY_OPTION_BYTES] = "";
  char types[ASSAY_OPTION_BYTES] = "documented";
  char threads[ASSAY_OPTION_BYTES] = "1";
  char fpmath[ASSAY_OPTION_BYTES] = "strict";
  const assay_option_t known[] = {
      {"isa", isa}, {"types", types}, {"threads", threads}, {"fpmath", fpmath}};
  int32_t code = assay_read_options(options, known, sizeof known / sizeof known[0], reason);
  if (code == ASSAY_EXECUTOR_OK) code = plugin_check_threads(threads, reason);
  if (code == ASSAY_EXECUTOR_OK) code = choose_fpmath(onednn, fpmath, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  onednn->takes_any_types = strcmp(types, "any") == 0;
  if (!onednn->takes_any_types && strcmp(types, "documented") != 0) {
    return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "types=%s: write documented or any",
                         types);
  }
  bool is_default = isa[0] == '\0' && strcmp(threads, "1") == 0;
  snprintf(onednn->threads_setting, sizeof onednn->threads_setting, "OMP_NUM_THREADS=%s", threads);
  char *const settings[] = {onednn->threads_setting, NULL};
  code = plugin_library_open("libdnnl.so.2", !is_default, settings, &onednn->library, reason);
  if (code == ASSAY_EXECUTOR_OK) code = find_functions(onednn, reason);
  if (code == ASSAY_EXECUTOR_OK) code = choose_isa(onednn, isa, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  find_threads(onednn, threads);
  use_threads(onednn);
  const dnnl_version_t *version = onednn->dnnl.dnnl_version();
  snprintf(onednn->version, sizeof onednn->version, "%d.%d.%d", version->major, version->minor,
           version->patch);
  return create_engine(onednn, reason);
}

static int32_t onednn_open(const char *options, void **out_self, assay_reason_t *reason) {
  onednn_t *onednn = calloc(1, sizeof *onednn);
  if (onednn == NULL) return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  int32_t code = open_options(onednn, options, reason);
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
static int32_t onednn_promises(void *self, const assay_program_t *program) {
  const onednn_t *onednn = self;
  char text[256];
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  plan_t plan;
  use_threads(onednn);
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

static void onednn_release(void *self, void *handle) {
  const onednn_t *onednn = self;
  plan_t plan = ((compiled_t *)handle)->plan;
  release(onednn, handle);
  plan_release(&onednn->dnnl, &plan);
}

static dnnl_status_t make_memories(const onednn_t *onednn, compiled_t *compiled) {
  const dnnl_functions_t *dnnl = &onednn->dnnl;
  const plan_t *plan = &compiled->plan;
  for (uint32_t i = 0; i < plan->input_count; i++) {
    if (plan->prepare[i] != NULL) {
      compiled->packed[i] = calloc(plan->packed_bytes[i], 1);
      if (compiled->packed[i] == NULL) return dnnl_out_of_memory;
    }
    dnnl_status_t status = dnnl->dnnl_memory_create(&compiled->inputs[i], &plan->inputs[i],
                                                    onednn->engine, DNNL_MEMORY_NONE);
    if (status != dnnl_success) return status;
  }
  return dnnl->dnnl_memory_create(&compiled->output, &plan->output, onednn->engine,
                                  DNNL_MEMORY_NONE);
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

static int32_t onednn_compile(void *self, const assay_program_t *program, void **out_handle,
                              assay_reason_t *reason) {
  compiled_t *compiled = calloc(1, sizeof *compiled);
  if (compiled == NULL) return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory");
  use_threads(self); /* The choice of an implementation depends on them too. */
  int32_t code = make(self, program, &compiled->plan, reason);
  if (code == ASSAY_EXECUTOR_OK) code = compile_plan(self, compiled, reason);
  if (code == ASSAY_EXECUTOR_OK) {
    *out_handle = compiled;
  } else {
    onednn_release(self, compiled);
  }
  return code;
}

static const char *onednn_implementation(void *self, void *handle) {
  const onednn_t *onednn = self;
  const compiled_t *compiled = handle;
  const char *name = NULL;
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
    const void *data = i == 0 && compiled->middle != NULL ? compiled->middle : plan->constants[i];
    if (data == NULL) data = operands[plan->is_wired ? plan->operand_of[i] : i];
    if (plan->prepare[i] != NULL) {
      plan->prepare[i](plan, i, data, compiled->packed[i]);
      data = compiled->packed[i];
    }
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

static int32_t onednn_execute(void *self, void *handle, const void *const *operands,
                              void *const *results, assay_reason_t *reason) {
  const onednn_t *onednn = self;
  compiled_t *compiled = handle;
  use_threads(onednn);
  dnnl_status_t status = run(onednn, compiled, operands, results[0]);
  if (status != dnnl_success) {
    return assay_explain(reason, ASSAY_EXECUTOR_FAILED, "oneDNN says %s",
                         onednn->dnnl.dnnl_status2str(status));
  }
  const plan_t *plan = &compiled->plan;
  if (plan->combine != NULL) {
    int32_t promoted = 0;
    const void *init = operands[1];
    if (plan->promote != NULL) {
      plan->promote(init, &promoted);
      init = &promoted;
    }
    plan->combine(results[0], plan->result_count, init);
  }
  return ASSAY_EXECUTOR_OK;
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
                                         .validates = 1,
                                         .compiling_is_dear = 1};
  return abi_max >= 1 ? &table : NULL;
}

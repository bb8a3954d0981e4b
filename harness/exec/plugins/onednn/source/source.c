/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what plugin.c does: memory, the primitive, and the initial value behind it. */
#include "harness/exec/plugins/onednn/source/source.h"

#include "harness/exec/plugins/onednn/source/operation.h"

static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,/@=";

typedef struct element_name {
  dnnl_data_type_t type;
  const char *name;
  const char *number; /* In C, or NULL. */
  size_t bytes;
} element_name_t;

static const element_name_t *find_element(dnnl_data_type_t type) {
  static const element_name_t names[] = {
      {dnnl_f32, "dnnl_f32", "float", 4},   {dnnl_bf16, "dnnl_bf16", NULL, 2},
      {dnnl_f16, "dnnl_f16", NULL, 2},      {dnnl_s32, "dnnl_s32", "int32_t", 4},
      {dnnl_s8, "dnnl_s8", "int8_t", 1},    {dnnl_u8, "dnnl_u8", "uint8_t", 1},
      {dnnl_data_type_undef, NULL, NULL, 0}};
  const element_name_t *found = names;
  while (found->name != NULL && found->type != type) found++;
  return found->name != NULL ? found : NULL;
}

#define NAMED(argument) {argument, #argument}
static const char *name_argument(int argument) {
  static const struct {
    int argument;
    const char *name;
  } names[] = {NAMED(DNNL_ARG_SRC),   NAMED(DNNL_ARG_SRC_1), NAMED(DNNL_ARG_WEIGHTS),
               NAMED(DNNL_ARG_SCALE), NAMED(DNNL_ARG_SHIFT), NAMED(DNNL_ARG_BIAS)};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (names[i].argument == argument) return names[i].name;
  }
  return NULL;
}
#undef NAMED

static const char *name_mode(dnnl_fpmath_mode_t mode) {
  switch (mode) {
    case dnnl_fpmath_mode_bf16:
      return "dnnl_fpmath_mode_bf16";
    case dnnl_fpmath_mode_f16:
      return "dnnl_fpmath_mode_f16";
    case dnnl_fpmath_mode_any:
      return "dnnl_fpmath_mode_any";
    case dnnl_fpmath_mode_strict:
    default:
      return "dnnl_fpmath_mode_strict";
  }
}

/* Headers of a library that stands in a folder "lib" are in "include" beside that. */
static void write_heading(const onednn_source_t *source, FILE *out) {
  const char *library = source->library;
  const char *slash = strrchr(library, '/');
  int folder = slash == NULL ? 0 : (int)(slash - library);
  fprintf(out,
          "/* The %s primitive of oneDNN %s, without Assay.\n"
          " *\n"
          " * Build: cc reproducer.c -o reproducer",
          source_title(source->plan), source->version);
  if (slash != NULL && source->is_version3) fprintf(out, " -I%.*s/../include", folder, library);
  fprintf(out, " %s%s -lm", slash == NULL ? "-l:" : "", library);
  if (slash != NULL) fprintf(out, " -Wl,-rpath,%.*s", folder, library);
  fprintf(out, "\n * Run: %s ./reproducer\n */\n", source->settings);
  fprintf(out,
          "#include <dnnl.h>\n#include <inttypes.h>\n#include <math.h>\n#include <stdint.h>\n"
          "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
          "#if DNNL_VERSION_MAJOR != %d\n"
          "#error \"this program is for oneDNN %d, and dnnl.h is of another version\"\n#endif\n\n",
          source->is_version3 ? 3 : 2, source->is_version3 ? 3 : 2);
}

/* Elements between the first and the last of a tensor, these too: where steps are zero, it has more
 * than there are. */
static size_t extent_of(const dnnl_memory_desc_t *memory) {
  int64_t last = 0;
  for (int d = 0; d < memory->ndims; d++) {
    if (memory->dims[d] == 0) return 0;
    last += (memory->dims[d] - 1) * memory->format_desc.blocking.strides[d];
  }
  return (size_t)last + 1;
}

static void write_data(const onednn_source_t *source, FILE *out) {
  const plan_t *plan = source->plan;
  for (uint32_t i = 0; i < plan->input_count; i++) {
    char name[32];
    snprintf(name, sizeof name, "input%u", i);
    plugin_source_array(out, name, source->inputs[i], extent_of(&plan->inputs[i]),
                        find_element(plan->inputs[i].data_type)->bytes);
  }
  const element_name_t *element = find_element(plan->output.data_type);
  if (source->init != NULL) plugin_source_array(out, "init", source->init, 1, element->bytes);
  fprintf(out, "static uint%zu_t result[%zu];\n\n", 8 * element->bytes, extent_of(&plan->output));
  fprintf(out,
          "#define CHECK(call) check((call), #call)\n"
          "static void check(dnnl_status_t status, const char *call) {\n"
          "  if (status == dnnl_success) return;\n"
          "  fprintf(stderr, \"%%s: status %%d\\n\", call, (int)status);\n"
          "  exit(1);\n}\n\n");
}

/* The body once more, with the initial value, which oneDNN does not take. */
static void write_combine(const onednn_source_t *source, FILE *out) {
  const plan_t *plan = source->plan;
  const char *body = plan_spell_combine(plan);
  const element_name_t *element = find_element(plan->output.data_type);
  const bool is_float = plan->output.data_type == dnnl_f32;
  const bool is_wide = plan->output.data_type == dnnl_s32;
  const bool is_maximum = strcmp(body, "maximum") == 0;
  fprintf(out, "static %s combine(%s a, %s b) {\n", element->number, element->number,
          element->number);
  if (strcmp(body, "add") == 0 || strcmp(body, "multiply") == 0) {
    fprintf(out,
            is_wide ? "  return (int32_t)((uint32_t)a %c (uint32_t)b);\n" : "  return a %c b;\n",
            body[0] == 'a' ? '+' : '*');
  } else {
    if (is_float) {
      fprintf(out,
              "  if (isnan(a) || isnan(b)) return isnan(a) ? a : b;\n"
              "  if (a == b) return signbit(a) ? %s;\n",
              is_maximum ? "b : a" : "a : b");
    }
    fprintf(out, "  return a %c b ? a : b;\n", is_maximum ? '>' : '<');
  }
  fprintf(out, "}\n\n");
}

static void write_memory(const onednn_source_t *source, FILE *out) {
  const plan_t *plan = source->plan;
  const char *const function = source->is_version3 ? "dnnl_memory_desc_create_with_strides"
                                                   : "dnnl_memory_desc_init_by_strides";
  fprintf(out, "  dnnl_memory_desc_t inputs[%u], output;\n", plan->input_count);
  for (uint32_t i = 0; i <= plan->input_count; i++) {
    const dnnl_memory_desc_t *memory = i < plan->input_count ? &plan->inputs[i] : &plan->output;
    char name[32] = "output";
    if (i < plan->input_count) snprintf(name, sizeof name, "inputs[%u]", i);
    fprintf(out, "  CHECK(%s(&%s, %d, ", function, name, memory->ndims);
    source_write_dims(memory->dims, memory->ndims, out);
    fprintf(out, ", %s, ", find_element(memory->data_type)->name);
    source_write_dims(memory->format_desc.blocking.strides, memory->ndims, out);
    fprintf(out, "));\n");
  }
}

static void write_run(const onednn_source_t *source, FILE *out) {
  const plan_t *plan = source->plan;
  const char *at = source->is_version3 ? "" : "&";
  fprintf(out,
          "  dnnl_primitive_t primitive;\n"
          "  CHECK(dnnl_primitive_create(&primitive, descriptor));\n"
          "  dnnl_exec_arg_t arguments[%u];\n",
          plan->input_count + 1);
  for (uint32_t i = 0; i < plan->input_count; i++) {
    const char *argument = name_argument(plan->input_arguments[i]);
    char number[16];
    snprintf(number, sizeof number, "%d", plan->input_arguments[i]);
    fprintf(out,
            "  arguments[%u].arg = %s;\n"
            "  CHECK(dnnl_memory_create(&arguments[%u].memory, %sinputs[%u], engine, (void "
            "*)input%u));\n",
            i, argument == NULL ? number : argument, i, at, i, i);
  }
  fprintf(out,
          "  arguments[%u].arg = DNNL_ARG_DST;\n"
          "  CHECK(dnnl_memory_create(&arguments[%u].memory, %soutput, engine, result));\n"
          "  CHECK(dnnl_primitive_execute(primitive, stream, %u, arguments));\n"
          "  CHECK(dnnl_stream_wait(stream));\n",
          plan->input_count, plan->input_count, at, plan->input_count + 1);
}

static void write_main(const onednn_source_t *source, FILE *out) {
  fprintf(out, "int main(void) {\n");
  if (source->isa[0] != '\0') fprintf(out, "  CHECK(dnnl_set_max_cpu_isa(%s));\n", source->isa);
  fprintf(out,
          "  dnnl_engine_t engine;\n  dnnl_stream_t stream;\n  dnnl_primitive_attr_t attributes;\n"
          "  dnnl_primitive_desc_t descriptor;\n"
          "  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));\n"
          "  CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));\n"
          "  CHECK(dnnl_primitive_attr_create(&attributes));\n"
          "  CHECK(dnnl_primitive_attr_set_fpmath_mode(attributes, %s));\n",
          name_mode(source->fpmath));
  write_memory(source, out);
  source_write_choice(source, out);
  write_run(source, out);
  const element_name_t *element = find_element(source->plan->output.data_type);
  const size_t count = extent_of(&source->plan->output);
  if (source->init != NULL) {
    fprintf(out,
            "  %s first, value; /* The initial value, which StableHLO has and oneDNN has not. */\n"
            "  memcpy(&first, init, sizeof first);\n"
            "  for (size_t i = 0; i < %zu; i++) {\n"
            "    memcpy(&value, &result[i], sizeof value);\n"
            "    value = combine(value, first);\n"
            "    memcpy(&result[i], &value, sizeof value);\n  }\n",
            element->number, count);
  }
  plugin_source_results(out, "result", count, element->bytes);
  fprintf(out, "  return 0;\n}\n");
}

/* Why it is not written, or NULL. */
static const char *refuse(const onednn_source_t *source) {
  const plan_t *plan = source->plan;
  if (plan->before != NULL) return "it takes two primitives";
  if (plan->attributes != NULL) return "it takes scales, zero points or post-ops";
  if (source_title(plan) == NULL) return "no such primitive is written";
  const element_name_t *element = find_element(plan->output.data_type);
  bool is_known = element != NULL;
  for (uint32_t i = 0; i < plan->input_count; i++) {
    is_known &= find_element(plan->inputs[i].data_type) != NULL;
  }
  if (!is_known) return "no such type is written";
  if (source->init != NULL && (element->number == NULL || plan_spell_combine(plan) == NULL)) {
    return "no initial value of this type is written";
  }
  return source->library[strspn(source->library, safe)] == '\0'
             ? NULL
             : "the library's path has a character that a shell would take for another";
}

int32_t onednn_source_write(const onednn_source_t *source, FILE *out, assay_reason_t *reason) {
  const char *refusal = refuse(source);
  if (refusal != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", refusal);
  write_heading(source, out);
  write_data(source, out);
  if (source->init != NULL) write_combine(source, out);
  write_main(source, out);
  return ASSAY_EXECUTOR_OK;
}

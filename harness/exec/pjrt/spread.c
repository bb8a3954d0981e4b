/* SPDX-License-Identifier: Apache-2.0 */
/* Reads replicas, partitions and groups of a collective, and marks the arguments of its module. */
#include "harness/exec/pjrt/spread.h"

#include <stdio.h>
#include <string.h>

enum { PROCESSES_MAX = 1 << 16 };

static const char manual[] = " {mhlo.sharding = \"{manual}\"}";

static const char *find_attribute(const assay_program_t *program, const char *key) {
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    if (strcmp(program->attributes[i].key, key) == 0) return program->attributes[i].value;
  }
  return NULL;
}

static int64_t find_number(const assay_program_t *program, const char *key, int64_t otherwise) {
  const char *text = find_attribute(program, key);
  return text == NULL ? otherwise : g_ascii_strtoll(text, NULL, 10);
}

static int32_t say(assay_reason_t *reason, int32_t code, const char *text) {
  snprintf(reason->text, reason->text_bytes, "%s", text);
  return code;
}

static bool all_have_processes(const assay_type_t *types, uint32_t count, int64_t processes) {
  for (uint32_t i = 0; i < count; i++) {
    if (types[i].rank == 0 || types[i].dims[0] != processes) return false;
  }
  return true;
}

/* Whether the numbers in "[[0,2],[1,3]]" are all those below `count`, each once. */
static bool names_each_once(const char *groups, int64_t count) {
  g_autofree bool *seen = g_new0(bool, (gsize)count);
  int64_t named = 0;
  for (const char *next = groups; *next != '\0';) {
    if (!g_ascii_isdigit(*next) && *next != '-') {
      next++;
      continue;
    }
    char *end = NULL;
    int64_t number = g_ascii_strtoll(next, &end, 10);
    if (end == next || number < 0 || number >= count || seen[number]) return false;
    seen[number] = true;
    named++;
    next = end;
  }
  return named == count;
}

static int32_t check_groups(const assay_program_t *program, const pjrt_spread_t *spread,
                            assay_reason_t *reason) {
  const char *groups = find_attribute(program, "replica_groups");
  const char *global = find_attribute(program, "use_global_device_ids");
  bool is_global = global != NULL && strcmp(global, "true") == 0;
  if (is_global && find_number(program, "channel_id", 0) <= 0) {
    return say(reason, ASSAY_EXECUTOR_INVALID,
               "with use_global_device_ids, channel_id is positive");
  }
  uint32_t named = is_global ? pjrt_spread_processes(spread) : spread->replicas;
  if (groups != NULL && names_each_once(groups, named)) return ASSAY_EXECUTOR_OK;
  return say(reason, ASSAY_EXECUTOR_INVALID, "replica_groups name each replica, or process, once");
}

int32_t pjrt_spread_find(const assay_program_t *program, pjrt_spread_t *out_spread,
                         assay_reason_t *reason) {
  pjrt_spread_t spread = {.replicas = 1, .partitions = 1};
  spread.is_collective = strcmp(program->op, "stablehlo.all_reduce") == 0 ||
                         strcmp(program->op, "stablehlo.reduce_scatter") == 0;
  *out_spread = spread;
  if (!spread.is_collective) return ASSAY_EXECUTOR_OK;
  bool has_rank = program->operand_count > 0 && program->operands[0].rank > 0;
  int64_t processes = has_rank ? program->operands[0].dims[0] : -1;
  if (!all_have_processes(program->operands, program->operand_count, processes) ||
      !all_have_processes(program->results, program->result_count, processes)) {
    return say(reason, ASSAY_EXECUTOR_INVALID,
               "the first dimension of each operand and result is that of the processes");
  }
  int64_t partitions = find_number(program, "num_partitions", 1);
  if (partitions < 1 || processes % partitions != 0) {
    return say(reason, ASSAY_EXECUTOR_INVALID, "the processes are no multiple of the partitions");
  }
  if (processes == 0 || processes > PROCESSES_MAX) {
    return say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "runs 1 to 65536 processes");
  }
  spread.partitions = (uint32_t)partitions;
  spread.replicas = (uint32_t)(processes / partitions);
  *out_spread = spread;
  return check_groups(program, &spread, reason);
}

static void print_type(const assay_type_t *type, GString *text) {
  g_string_append(text, "tensor<");
  for (uint32_t i = 0; i < type->rank; i++) {
    g_string_append_printf(text, "%" G_GINT64_FORMAT "x", type->dims[i]);
  }
  g_string_append_printf(text, "%s>%s", type->element, manual);
}

/* "func.func @main(%arg0: tensor<2xf32> {...}) -> (tensor<2xf32> {...}) {" */
static void print_header(const pjrt_spread_t *spread, const assay_program_t *program,
                         GString *text) {
  g_string_append(text, "@main(");
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const assay_type_t own = pjrt_spread_type(spread, &program->operands[i]);
    g_string_append_printf(text, "%s%%arg%u: ", i == 0 ? "" : ", ", i);
    print_type(&own, text);
  }
  g_string_append(text, ") -> (");
  for (uint32_t i = 0; i < program->result_count; i++) {
    const assay_type_t own = pjrt_spread_type(spread, &program->results[i]);
    if (i > 0) g_string_append(text, ", ");
    print_type(&own, text);
  }
  g_string_append(text, ") {");
}

char *pjrt_spread_module(const pjrt_spread_t *spread, const assay_program_t *program) {
  if (spread->partitions == 1) return g_strdup(program->mlir);
  const char *begin = strstr(program->mlir, "@main(");
  const char *end = begin == NULL ? NULL : strstr(begin, " {\n");
  if (end == NULL) return NULL;
  GString *text = g_string_new_len(program->mlir, begin - program->mlir);
  print_header(spread, program, text);
  g_string_append(text, end + strlen(" {"));
  return g_string_free(text, FALSE);
}

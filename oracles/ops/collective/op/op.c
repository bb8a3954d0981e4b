/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops all_reduce and reduce_scatter: the tables of their attributes, MLIR, and the
 * tables of constraints. Drawing and validation are separate. */
#include "oracles/ops/collective/op/op.h"

#include <inttypes.h>

#include "harness/model/mlir.h"

static bool scatters(const program_t *program) { return program->op == &reduce_scatter_op; }

/* ---- Attributes ------------------------------------------------------------------------------ */

static status_t parse_id(scan_t *scan, uint32_t index, void *groups, failure_t *error) {
  return scan_integer(scan, &((replica_groups_t *)groups)->ids[index], error);
}

static status_t parse_group(scan_t *scan, uint32_t index, void *list, failure_t *error) {
  static const scan_list_t ids = {"there are", "replicas", REPLICAS_MAX, parse_id};
  replica_groups_t *groups = list;
  uint32_t before = groups->id_count;
  STATUS_TRY(scan_list(scan, &ids, groups, &groups->id_count, error));
  groups->sizes[index] = groups->id_count - before;
  return STATUS_OK;
}

static status_t parse_groups(const attribute_source_t *from, void *out_value) {
  static const scan_list_t kind = {"there are", "groups", REPLICAS_MAX, parse_group};
  replica_groups_t *groups = out_value;
  return scan_entries(from->scan, &kind, groups, &groups->group_count, from->error);
}

/* "[0,1],[2,3]" with what is put between ids; groups of fewer than `size` are filled up with -1. */
static void print_group_list(const replica_groups_t *groups, const char *between, uint32_t size,
                             GString *out_text) {
  const int64_t *id = groups->ids;
  for (uint32_t group = 0; group < groups->group_count; group++) {
    g_string_append_printf(out_text, "%s[", group == 0 ? "" : between);
    for (uint32_t i = 0; i < MAX(size, groups->sizes[group]); i++) {
      int64_t printed = i < groups->sizes[group] ? *id++ : -1;
      g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? "" : between, printed);
    }
    g_string_append_c(out_text, ']');
  }
}

static void print_groups(const void *value, const attribute_sink_t *to) {
  print_group_list((const replica_groups_t *)value, ",", 0, to->text);
  g_string_append_c(to->text, ']');
}

static void print_mlir_groups(const void *value, const attribute_sink_t *to) {
  const replica_groups_t *groups = value;
  uint32_t size = replica_group_size(groups);
  bool is_empty = groups->id_count == 0;
  g_string_append(to->text, is_empty ? "dense<" : "dense<[");
  if (!is_empty) print_group_list(groups, ", ", size, to->text);
  g_string_append_printf(to->text, "%s> : tensor<%ux%uxi64>", is_empty ? "" : "]",
                         groups->group_count, size);
}

static const attribute_codec_t groups_codec = {
    .begins = "[", .parse = parse_groups, .print = print_groups, .print_mlir = print_mlir_groups};

static bool is_channel_absent(const void *value) { return *(const int64_t *)value == 0; }

static status_t parse_channel(const attribute_source_t *from, void *out_value) {
  scan_t start = *from->scan;
  STATUS_TRY(attribute_integer.parse(from, out_value));
  if (!is_channel_absent(out_value)) return STATUS_OK;
  return scan_fail(&start, from->error, "channel 0 is none: leave channel_id= out");
}

static void print_channel(const void *value, const attribute_sink_t *to) {
  attribute_integer.print(value, to);
}

static void print_mlir_channel(const void *value, const attribute_sink_t *to) {
  g_string_append_printf(to->text, "#stablehlo.channel_handle<handle = %" PRId64 ", type = 1>",
                         *(const int64_t *)value);
}

static const attribute_codec_t channel_codec = {.is_absent = is_channel_absent,
                                                .parse = parse_channel,
                                                .print = print_channel,
                                                .print_mlir = print_mlir_channel};

static bool is_one_partition(const void *value) {
  const int64_t partitions = *(const int64_t *)value;
  return partitions == 0 || partitions == 1;
}

static status_t parse_partitions(const attribute_source_t *from, void *out_value) {
  scan_t start = *from->scan;
  STATUS_TRY(attribute_integer.parse(from, out_value));
  if (!is_one_partition(out_value)) return STATUS_OK;
  return scan_fail(&start, from->error,
                   "without num_partitions= there is one partition: leave it out");
}

static void print_partitions(const void *value, const attribute_sink_t *to) {
  attribute_integer.print(value, to);
}

/* The module has it, and not the op. */
static const attribute_codec_t partitions_codec = {
    .is_absent = is_one_partition, .parse = parse_partitions, .print = print_partitions};

#define ROW(key, codec, member) ATTRIBUTE(key, codec, collective_attributes_t, member)
#define ROW_AT_BLANK(key, codec, member) \
  ATTRIBUTE_AT_BLANK(key, codec, collective_attributes_t, member)

static const attribute_row_t all_reduce_rows[] = {
    {ROW_AT_BLANK("replica_groups", groups_codec, groups)},
    {ROW("channel_id", channel_codec, channel_id), .mlir = "channel_handle"},
    {ROW("use_global_device_ids", attribute_flag, use_global_device_ids)},
    {ROW("num_partitions", partitions_codec, num_partitions)},
    {ROW("body", reduction_body, reduction)},
    {ROW("accumulation", reduction_accumulation, reduction)},
    ATTRIBUTES_END,
};

static const attribute_row_t reduce_scatter_rows[] = {
    {ROW_AT_BLANK("replica_groups", groups_codec, groups)},
    {ROW("channel_id", channel_codec, channel_id), .mlir = "channel_handle"},
    {ROW("use_global_device_ids", attribute_flag, use_global_device_ids)},
    {ROW("num_partitions", partitions_codec, num_partitions)},
    {ROW_AT_BLANK("scatter_dimension", attribute_integer, scatter_dimension)},
    {ROW("body", reduction_body, reduction)},
    {ROW("accumulation", reduction_accumulation, reduction)},
    ATTRIBUTES_END,
};

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, reduce_body_table[collective_attributes(program)->reduction.body].name);
}

/* ": 2 groups of 4 replicas" */
static void print_group_words(const collective_attributes_t *attributes, GString *out_text) {
  int64_t partitions = collective_partitions(attributes);
  const replica_groups_t groups =
      partitions == 1 ? attributes->groups : collective_process_groups(attributes);
  g_string_append_printf(out_text, ": %u groups of %s%u %s, ", groups.group_count,
                         replica_groups_are_even(&groups) ? "" : "up to ",
                         replica_group_size(&groups), partitions == 1 ? "replicas" : "processes");
}

/* What runs the module. */
static void print_process_words(const program_t *program, GString *out_text) {
  int64_t partitions = collective_partitions(collective_attributes(program));
  if (partitions == 1) {
    g_string_append(out_text, "; the module is what one replica runs, among as many processes");
    return;
  }
  g_string_append_printf(out_text,
                         "; the module is what one process runs, among those of %" PRId64
                         " replicas with %" PRId64 " partitions each",
                         program->operands[0].dims[0] / partitions, partitions);
}

static void print_words(const program_t *program, GString *out_text) {
  const collective_attributes_t *attributes = collective_attributes(program);
  reduction_types_t types = collective_types(program, 0);
  g_string_append_printf(out_text, "%s what the %s of each group have in ",
                         reduce_body_table[attributes->reduction.body].summary,
                         collective_partitions(attributes) == 1 ? "replicas" : "processes");
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (i > 0) g_string_append(out_text, " and in ");
    type_print(&program->operands[i], out_text);
  }
  reduction_print_words(&types, out_text);
  print_group_words(attributes, out_text);
  if (scatters(program)) {
    g_string_append_printf(out_text, "each of which gets its part of dimension %" PRId64,
                           attributes->scatter_dimension);
  } else {
    g_string_append(out_text, "each of which gets all");
  }
  print_process_words(program, out_text);
}

/* ---- MLIR ------------------------------------------------------------------------------------ */

/* How many processes there are, which StableHLO says nowhere in a module: these attributes are what
 * JAX writes and XLA, IREE and others read. */
static void print_process_grid(const program_t *program, GString *out_text) {
  int64_t partitions = collective_partitions(collective_attributes(program));
  const type_t *operand = &program->operands[0];
  int64_t processes = program->operand_count == 0 || operand->rank == 0 ? 0 : operand->dims[0];
  g_string_append_printf(out_text,
                         " attributes {mhlo.num_partitions = %" PRId64
                         " : i32, mhlo.num_replicas = %" PRId64 " : i32}",
                         partitions, processes / partitions);
}

static type_t without_processes(const type_t *type) {
  type_t own = *type;
  if (type->rank == 0) return own; /* Of a program that is not valid. */
  own.rank--;
  memmove(own.dims, own.dims + 1, own.rank * sizeof own.dims[0]);
  return own;
}

void collective_print_mlir(const program_t *program, GString *out_text) {
  program_t own = *program;
  for (uint32_t i = 0; i < own.operand_count; i++) {
    own.operands[i] = without_processes(&program->operands[i]);
  }
  for (uint32_t i = 0; i < own.result_count; i++) {
    own.results[i] = without_processes(&program->results[i]);
  }
  gsize start = out_text->len;
  mlir_open_regions(&own, ATTRIBUTES_AS_LISTED, out_text);
  reduction_print_region(&collective_attributes(program)->reduction, own.results, 1, out_text);
  mlir_close_regions(&own, out_text);
  g_autoptr(GString) grid = g_string_new(NULL);
  print_process_grid(program, grid);
  g_string_insert(out_text, (gssize)(start + strlen("module")), grid->str);
}

/* ---- Roles ----------------------------------------------------------------------------------- */

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  (void)program;
  (void)operand;
  return 1;
}

/* The processes are no dimension of what each of them compiles. */
static bool is_never_dynamic(const program_t *program) {
  (void)program;
  return false;
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const char *const all_reduce_policies[] = {"replicas", NULL};

const op_t all_reduce_op = {
    .name = "stablehlo.all_reduce",
    .spec = "StableHLO specification, all_reduce",
    .summary = "combines the tensors of the replicas of each group",
    .attributes_bytes = sizeof(collective_attributes_t),
    .attribute_rows = all_reduce_rows,
    .constraints = all_reduce_constraints,
    .contract_constraints = all_reduce_contract_constraints,
    .draw = all_reduce_draw,
    .policies = all_reduce_policies,
    .print_algorithm = print_algorithm,
    .print_mlir = collective_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
    .axes = all_reduce_axes,
    .with_axes = all_reduce_with_axes,
    .fits_dynamic = is_never_dynamic,
    .leaders = all_reduce_leaders,
};

const op_t reduce_scatter_op = {
    .name = "stablehlo.reduce_scatter",
    .spec = "StableHLO specification, reduce_scatter",
    .summary = "combines the tensors of the replicas of each group, and gives each a part",
    .attributes_bytes = sizeof(collective_attributes_t),
    .attribute_rows = reduce_scatter_rows,
    .constraints = reduce_scatter_constraints,
    .contract_constraints = reduce_scatter_contract_constraints,
    .draw = reduce_scatter_draw,
    .print_algorithm = print_algorithm,
    .print_mlir = collective_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
};

const op_t *const collective_ops[] = {&all_reduce_op, &reduce_scatter_op, NULL};

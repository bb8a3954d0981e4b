/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the ops all_reduce and reduce_scatter: text and MLIR of replica groups, channels and
 * bodies, and the tables of constraints. Drawing and validation are separate. */
#include "oracles/ops/collective/op/op.h"

#include <inttypes.h>

#include "harness/model/mlir.h"

static bool scatters(const program_t *program) { return program->op == &reduce_scatter_op; }

/* ---- Text ------------------------------------------------------------------------------------ */

static status_t parse_group(scan_t *scan, replica_groups_t *groups, failure_t *error) {
  if (groups->group_count == REPLICAS_MAX) {
    return scan_fail(scan, error, "there are at most %d groups", (int)REPLICAS_MAX);
  }
  uint32_t *size = &groups->sizes[groups->group_count++];
  *size = 0;
  STATUS_TRY(scan_expect(scan, "[", error));
  if (scan_accept(scan, "]")) return STATUS_OK;
  do {
    if (groups->id_count == REPLICAS_MAX) {
      return scan_fail(scan, error, "there are at most %d replicas", (int)REPLICAS_MAX);
    }
    STATUS_TRY(scan_integer(scan, &groups->ids[groups->id_count], error));
    groups->id_count++;
    ++*size;
  } while (scan_accept(scan, ","));
  return scan_expect(scan, "]", error);
}

static status_t parse_groups(scan_t *scan, replica_groups_t *out_groups, failure_t *error) {
  *out_groups = (replica_groups_t){.group_count = 0};
  STATUS_TRY(scan_expect(scan, " replica_groups=[", error));
  if (scan_accept(scan, "]")) return STATUS_OK;
  do {
    STATUS_TRY(parse_group(scan, out_groups, error));
  } while (scan_accept(scan, ","));
  return scan_expect(scan, "]", error);
}

static status_t parse_channel(scan_t *scan, collective_attributes_t *attributes, failure_t *error) {
  if (scan_accept(scan, " channel_id=")) {
    scan_t start = *scan;
    STATUS_TRY(scan_integer(scan, &attributes->channel_id, error));
    if (attributes->channel_id == 0) {
      return scan_fail(&start, error, "channel 0 is none: leave channel_id= out");
    }
  }
  attributes->use_global_device_ids = scan_accept(scan, " use_global_device_ids=true");
  return STATUS_OK;
}

static status_t parse(scan_t *scan, bool scatters, arena_t *arena, program_t *inout_program,
                      failure_t *error) {
  collective_attributes_t *attributes = ARENA_NEW_ARRAY(arena, collective_attributes_t, 1);
  *attributes = (collective_attributes_t){0};
  STATUS_TRY(parse_groups(scan, &attributes->groups, error));
  STATUS_TRY(parse_channel(scan, attributes, error));
  if (scatters) {
    STATUS_TRY(scan_expect(scan, " scatter_dimension=", error));
    STATUS_TRY(scan_integer(scan, &attributes->scatter_dimension, error));
  }
  STATUS_TRY(reduction_parse_body(scan, "body", &attributes->reduction, error));
  STATUS_TRY(reduction_parse_accumulation(scan, arena, &attributes->reduction, error));
  inout_program->attributes = attributes;
  return STATUS_OK;
}

static status_t parse_all_reduce(scan_t *scan, arena_t *arena, program_t *inout_program,
                                 failure_t *error) {
  return parse(scan, false, arena, inout_program, error);
}

static status_t parse_reduce_scatter(scan_t *scan, arena_t *arena, program_t *inout_program,
                                     failure_t *error) {
  return parse(scan, true, arena, inout_program, error);
}

/* "[[0,1],[2,3]]" with what is put between ids; groups of fewer than `size` are filled up with -1.
 */
static void print_groups(const replica_groups_t *groups, const char *between, uint32_t size,
                         GString *out_text) {
  const int64_t *id = groups->ids;
  g_string_append_c(out_text, '[');
  for (uint32_t group = 0; group < groups->group_count; group++) {
    g_string_append(out_text, group == 0 ? "[" : between);
    if (group > 0) g_string_append_c(out_text, '[');
    for (uint32_t i = 0; i < MAX(size, groups->sizes[group]); i++) {
      int64_t printed = i < groups->sizes[group] ? *id++ : -1;
      g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? "" : between, printed);
    }
    g_string_append_c(out_text, ']');
  }
  g_string_append_c(out_text, ']');
}

static void print_attributes(const program_t *program, GString *out_text) {
  const collective_attributes_t *attributes = collective_attributes(program);
  g_string_append(out_text, " replica_groups=");
  print_groups(&attributes->groups, ",", 0, out_text);
  if (attributes->channel_id != 0) {
    g_string_append_printf(out_text, " channel_id=%" PRId64, attributes->channel_id);
  }
  if (attributes->use_global_device_ids) g_string_append(out_text, " use_global_device_ids=true");
  if (scatters(program)) {
    g_string_append_printf(out_text, " scatter_dimension=%" PRId64, attributes->scatter_dimension);
  }
  reduction_print_body(&attributes->reduction, "body", out_text);
  reduction_print_accumulation(&attributes->reduction, out_text);
}

static void print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, reduce_body_table[collective_attributes(program)->reduction.body].name);
}

static void print_words(const program_t *program, GString *out_text) {
  const collective_attributes_t *attributes = collective_attributes(program);
  const replica_groups_t *groups = &attributes->groups;
  reduction_types_t types = collective_types(program, 0);
  g_string_append_printf(out_text, "%s what the replicas of each group have in ",
                         reduce_body_table[attributes->reduction.body].summary);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (i > 0) g_string_append(out_text, " and in ");
    type_print(&program->operands[i], out_text);
  }
  reduction_print_words(&types, out_text);
  g_string_append_printf(out_text, ": %u groups of %s%u replicas, ", groups->group_count,
                         replica_groups_are_even(groups) ? "" : "up to ",
                         replica_group_size(groups));
  if (scatters(program)) {
    g_string_append_printf(out_text, "each of which gets its part of dimension %" PRId64,
                           attributes->scatter_dimension);
  } else {
    g_string_append(out_text, "each of which gets all");
  }
  g_string_append(out_text, "; the module is what one replica runs, among as many processes");
}

/* ---- MLIR ------------------------------------------------------------------------------------ */

static type_t without_replicas(const type_t *type) {
  type_t own = *type;
  if (type->rank == 0) return own; /* Of a program that is not valid. */
  own.rank--;
  memmove(own.dims, own.dims + 1, own.rank * sizeof own.dims[0]);
  return own;
}

static void print_mlir_groups(const replica_groups_t *groups, GString *out_text) {
  uint32_t size = replica_group_size(groups);
  g_string_append(out_text, "replica_groups = dense<");
  if (groups->id_count > 0) print_groups(groups, ", ", size, out_text);
  g_string_append_printf(out_text, "> : tensor<%ux%uxi64>", groups->group_count, size);
}

static void print_mlir_channel(const collective_attributes_t *attributes, GString *out_text) {
  if (attributes->channel_id != 0) {
    g_string_append_printf(
        out_text, ", channel_handle = #stablehlo.channel_handle<handle = %" PRId64 ", type = 1>",
        attributes->channel_id);
  }
  if (attributes->use_global_device_ids) g_string_append(out_text, ", use_global_device_ids");
}

void collective_print_mlir(const program_t *program, GString *out_text) {
  const collective_attributes_t *attributes = collective_attributes(program);
  program_t own = *program;
  for (uint32_t i = 0; i < own.operand_count; i++) {
    own.operands[i] = without_replicas(&program->operands[i]);
  }
  for (uint32_t i = 0; i < own.result_count; i++) {
    own.results[i] = without_replicas(&program->results[i]);
  }
  mlir_open(&own, own.op->name, out_text);
  g_string_append(out_text, " <{");
  print_mlir_groups(&attributes->groups, out_text);
  print_mlir_channel(attributes, out_text);
  if (scatters(program)) {
    g_string_append_printf(out_text, ", scatter_dimension = %" PRId64 " : i64",
                           attributes->scatter_dimension);
  }
  g_string_append(out_text, "}> ({\n");
  reduction_print_region(&attributes->reduction, own.results, 1, out_text);
  g_string_append(out_text, "    })");
  mlir_close(&own, out_text);
}

/* ---- Roles ----------------------------------------------------------------------------------- */

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  (void)program;
  (void)operand;
  return 1;
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const char *const all_reduce_policies[] = {"replicas", NULL};

const op_t all_reduce_op = {
    .name = "stablehlo.all_reduce",
    .spec = "StableHLO specification, all_reduce",
    .summary = "combines the tensors of the replicas of each group",
    .attributes_bytes = sizeof(collective_attributes_t),
    .constraints = all_reduce_constraints,
    .contract_constraints = all_reduce_contract_constraints,
    .draw = all_reduce_draw,
    .policies = all_reduce_policies,
    .parse_attributes = parse_all_reduce,
    .print_attributes = print_attributes,
    .print_algorithm = print_algorithm,
    .print_mlir = collective_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
};

const op_t reduce_scatter_op = {
    .name = "stablehlo.reduce_scatter",
    .spec = "StableHLO specification, reduce_scatter",
    .summary = "combines the tensors of the replicas of each group, and gives each a part",
    .attributes_bytes = sizeof(collective_attributes_t),
    .constraints = reduce_scatter_constraints,
    .contract_constraints = reduce_scatter_contract_constraints,
    .draw = reduce_scatter_draw,
    .parse_attributes = parse_reduce_scatter,
    .print_attributes = print_attributes,
    .print_algorithm = print_algorithm,
    .print_mlir = collective_print_mlir,
    .print_words = print_words,
    .reduced_dimensions = reduced_dimensions,
};

const op_t *const collective_ops[] = {&all_reduce_op, &reduce_scatter_op, NULL};

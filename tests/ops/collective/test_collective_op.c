/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of stablehlo.all_reduce and stablehlo.reduce_scatter. */
#include "oracles/ops/collective/collective.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 4, .elements_max = 1024, .terms_max = 64};

#define ALL "stablehlo.all_reduce "
#define SCATTER "stablehlo.reduce_scatter "
#define PAIRS "replica_groups=[[0,1],[2,3]] "
#define U8 "!quant.uniform<ui8:f32,0x1p-1:3>"
/* The one of larger magnitude. */
#define GREATER "{v0=abs(a0);v1=abs(b0);v2=compare_GE(v0,v1);v3=select(v2,a0,b0);return(v3)}"
#define PER_AXIS "!quant.uniform<i8:f32:0,{0x1p+0,0x1p+1}>"

static const violation_row_t all_rows[] = {
    {ALL PAIRS "body=add f32[4,3] -> f32[4,3]", NULL},
    {ALL PAIRS "body=add f32[4] -> f64[4]", NULL},
    {ALL "replica_groups=[[3,0,1,2]] body=maximum i8[4,2] -> i8[4,2]", NULL},
    {ALL "replica_groups=[] body=add f32[0,2] -> f32[0,2]", NULL},
    {ALL "replica_groups=[[0]] body=add " U8 "[1,2] -> " U8 "[1,2]", NULL},
    {ALL "replica_groups=[[0,1],[1,2]] body=add f32[4,3] -> f32[4,3]", "C1"},
    {ALL "replica_groups=[[0,1]] body=add f32[4,3] -> f32[4,3]", "C2"},
    {ALL PAIRS "body=add f32[3,3] -> f32[3,3]", "C2"},
    {ALL "replica_groups=[] body=add f32[1,2] -> f32[1,2]", "C2"},
    {ALL "replica_groups=[[0,4],[2,3]] body=add f32[4,3] -> f32[4,3]", "C3"},
    {ALL "replica_groups=[[0,-1],[2,3]] body=add f32[4,3] -> f32[4,3]", "C3"},
    {ALL "replica_groups=[[0,9223372036854775807]] body=add f32[2,3] -> f32[2,3]", "C3"},
    {ALL PAIRS "body=add f32[4,3] -> f16[4,3]", "C5"},
    {ALL PAIRS "body=sum_count f32[4,3] -> f32[4,3]", "C5"},
    {ALL PAIRS "body=add f32[4,3] -> f32[4,2]", "C6"},
    {ALL PAIRS "body=add f32[4,3] -> f32[]", "C6"},
    {ALL PAIRS "body=add accumulation=f32 f32[4,3] -> f64[4,3]", "C7"},
    {ALL PAIRS "body=add f32[4,3] -> i32[4,3]", "case-D"},
    {ALL PAIRS "body=add i32[4,3] -> f32[4,3]", "case-E"},
    {ALL PAIRS "body=add f32[4,3] -> " U8 "[4,3]", "case-B"},
    {ALL PAIRS "body=add " U8 "[4,3] -> f32[4,3]", "case-C"},
    {ALL PAIRS "body=add accumulation=complex<f64> complex<f32>[4] -> complex<f32>[4]", "case-H"},
    {ALL PAIRS "body=add accumulation=f32 f32[4,3] -> f32[4,3]", "accumulation"},
    {ALL PAIRS "body=add f32[] -> f32[]", "replicas"},
    {ALL "replica_groups=[[0,1],[2]] body=add f32[3,3] -> f32[3,3]", NULL},
    {ALL "replica_groups=[[2],[],[1,0]] body=add f32[3,3] -> f32[3,3]", NULL},
    {ALL "replica_groups=[[0,1],[1]] body=add f32[3,3] -> f32[3,3]", "C1"},
    {ALL PAIRS "body=add f32[4,3] f32[] -> f32[4,3]", "types"},
    {ALL PAIRS "body=xor f32[4,3] -> f32[4,3]", "bits"},
    {ALL PAIRS "body=maximum complex<f32>[4,3] -> complex<f32>[4,3]", "body"},
    {ALL PAIRS "body=add f32[4,3] f32[5,3] -> f32[4,3] f32[5,3]", "replicas"},
    {ALL PAIRS "body=add f32[4,3] f32[4,3] -> f32[4,3] f32[4,3]", NULL},
    {ALL PAIRS "body=add f32[4,3] f16[4] i1[4] -> f32[4,3] f32[4] f32[4]", "C5"},
    {ALL PAIRS "body=add f32[4,3] f16[4] -> f32[4,3] f32[4]", NULL},
    {ALL PAIRS "body=add f32[4,3] f16[4] -> f32[4,3] f16[4]", "C7"},
    {ALL PAIRS "body=add f32[4,3] f64[4] -> f32[4,3] f32[4]", "C5"},
    {ALL PAIRS "body=add f32[4,3] f32[4] -> f32[4,3] f32[4,1]", "C6"},
    {ALL PAIRS "body=add accumulation=f32 f32[4] f32[4] -> f32[4] f32[4]", "accumulation"},
    {ALL PAIRS "channel_id=3 use_global_device_ids=true body=add f32[4] -> f32[4]", NULL},
    {ALL PAIRS "channel_id=-3 body=add f32[4] -> f32[4]", NULL},
    {ALL PAIRS "use_global_device_ids=true body=add f32[4] -> f32[4]", "C4"},
    {ALL PAIRS "channel_id=-1 use_global_device_ids=true body=add f32[4] -> f32[4]", "C4"},
    {ALL "replica_groups=[[0,1]] body=add " PER_AXIS "[2] -> " U8 "[2]", "types"},
    {ALL PAIRS "num_partitions=2 body=add f32[8,3] -> f32[8,3]", NULL},
    {ALL PAIRS "num_partitions=2 body=add f32[4,3] -> f32[4,3]", "C2"},
    {ALL PAIRS "num_partitions=2 body=add f32[7,3] -> f32[7,3]", "partitions"},
    {ALL PAIRS "num_partitions=-2 body=add f32[4] -> f32[4]", "partitions"},
    {ALL "replica_groups=[] num_partitions=65 body=add f32[0] -> f32[0]", "partitions"},
    {ALL "replica_groups=[] num_partitions=64 body=add f32[0] -> f32[0]", NULL},
    {ALL PAIRS "channel_id=1 num_partitions=3 body=add f32[12] -> f32[12]", NULL},
    {ALL PAIRS "channel_id=1 use_global_device_ids=true num_partitions=2 body=add f32[4] -> f32[4]",
     NULL},
    {ALL PAIRS "channel_id=1 use_global_device_ids=true num_partitions=2 body=add f32[8] -> f32[8]",
     "C2"},
    {ALL PAIRS "use_global_device_ids=true num_partitions=2 body=add f32[4] -> f32[4]", "C4"},
    {ALL PAIRS "body=" GREATER " f32[4,3] -> f32[4,3]", NULL},
    {ALL PAIRS "body=" GREATER " f32[4,3] f32[4] -> f32[4,3] f32[4]", NULL},
    {ALL PAIRS "body=" GREATER " f32[4,3] f16[4] -> f32[4,3] f32[4]", "written"},
    {ALL PAIRS "body=" GREATER " f16[4,3] -> f32[4,3]", "written"},
    {ALL PAIRS "body=" GREATER " i1[4,3] -> i1[4,3]", "written"},
    {ALL PAIRS "body=" GREATER " " U8 "[4,3] -> " U8 "[4,3]", "written"},
    {ALL PAIRS "body=" GREATER " f32[4,3] -> f16[4,3]", "C5"},
    {ALL PAIRS "body={v0=add(a0,b0);v1=add(a1,b1);return(v0,v1)} f32[4] i32[4] -> f32[4] i32[4]",
     "C5"},
    {ALL PAIRS "body=multiply " U8 "[4,3] -> " U8 "[4,3]", NULL},
};

static const violation_row_t scatter_rows[] = {
    {SCATTER "replica_groups=[[0,1]] scatter_dimension=0 body=add f32[2,4] -> f32[2,2]", NULL},
    {SCATTER PAIRS "scatter_dimension=1 body=add f16[4,3,0] -> f32[4,3,0]", NULL},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,3] -> f32[4,1]", "C1"},
    {SCATTER "replica_groups=[[]] scatter_dimension=0 body=add f32[0,3] -> f32[0,3]", "C1"},
    {SCATTER PAIRS "scatter_dimension=1 body=add f32[4,2] -> f32[4,1]", "C2"},
    {SCATTER PAIRS "scatter_dimension=-1 body=add f32[4,2] -> f32[4,1]", "C2"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4] -> f32[4]", "C2"},
    {SCATTER PAIRS "scatter_dimension=9223372036854775807 body=add f32[4,2] -> f32[4,1]", "C2"},
    {SCATTER "replica_groups=[[0,0]] scatter_dimension=0 body=add f32[2,4] -> f32[2,2]", "C3"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[2,4] -> f32[2,2]", "C4"},
    {SCATTER "replica_groups=[[0,2]] scatter_dimension=0 body=add f32[2,4] -> f32[2,2]", "C5"},
    {SCATTER PAIRS "channel_id=1 scatter_dimension=0 body=add f32[4,2] -> f32[4,1]", NULL},
    {SCATTER PAIRS "use_global_device_ids=true scatter_dimension=0 body=add f32[4,2] -> f32[4,1]",
     "C6"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,2] -> f16[4,1]", "C7"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,2] -> f32[4,2]", "C8"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,2] -> f32[4]", "C8"},
    {SCATTER PAIRS "scatter_dimension=0 body=add accumulation=f32 f32[4,2] -> f64[4,1]", "C9"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,2] -> i32[4,1]", "case-D"},
    {SCATTER PAIRS "scatter_dimension=0 body=add i32[4,2] -> f32[4,1]", "case-E"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,2] -> " U8 "[4,1]", "case-B"},
    {SCATTER PAIRS "scatter_dimension=0 body=add " U8 "[4,2] -> f32[4,1]", "case-C"},
    {SCATTER PAIRS "scatter_dimension=0 body=add accumulation=complex<f64> complex<f32>[4,2] -> "
                   "complex<f32>[4,1]",
     "case-H"},
    {SCATTER PAIRS "scatter_dimension=0 body=add accumulation=f32 f32[4,2] -> f32[4,1]",
     "accumulation"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[] -> f32[]", "replicas"},
    {SCATTER "replica_groups=[[0,1],[2]] scatter_dimension=0 body=add f32[3,4] -> f32[3,2]",
     "types"},
    {SCATTER PAIRS "scatter_dimension=0 body=xor f32[4,4] -> f32[4,2]", "bits"},
    {SCATTER PAIRS "num_partitions=2 scatter_dimension=0 body=add f32[8,4] -> f32[8,2]", NULL},
    {SCATTER PAIRS "num_partitions=2 scatter_dimension=0 body=add f32[8,4] -> f32[8,1]", "C8"},
    {SCATTER PAIRS "num_partitions=2 scatter_dimension=0 body=add f32[4,4] -> f32[4,2]", "C4"},
    {SCATTER PAIRS "num_partitions=3 scatter_dimension=0 body=add f32[4,4] -> f32[4,2]",
     "partitions"},
    {SCATTER PAIRS
     "channel_id=1 num_partitions=2 scatter_dimension=0 body=add f32[8,4] -> f32[8,1]",
     NULL},
    {SCATTER PAIRS
     "channel_id=1 num_partitions=2 scatter_dimension=0 body=add f32[8,4] -> f32[8,2]",
     "C8"},
    {SCATTER PAIRS
     "channel_id=1 num_partitions=2 scatter_dimension=0 body=add f32[8,6] -> f32[8,1]",
     "C1"},
    {SCATTER PAIRS "channel_id=1 use_global_device_ids=true num_partitions=2 scatter_dimension=0 "
                   "body=add f32[4,4] -> f32[4,2]",
     NULL},
    {SCATTER PAIRS "scatter_dimension=0 body=maximum complex<f32>[4,4] -> complex<f32>[4,2]",
     "body"},
    {SCATTER PAIRS "scatter_dimension=0 body=" GREATER " f32[4,4] -> f32[4,2]", NULL},
    {SCATTER PAIRS "scatter_dimension=0 body=" GREATER " f16[4,4] -> f32[4,2]", "written"},
};

static const op_t *all_op(void) { return check_find_op("stablehlo.all_reduce"); }
static const op_t *scatter_op(void) { return check_find_op("stablehlo.reduce_scatter"); }

static void test_violations(void) {
  check_violations(all_op(), all_rows, G_N_ELEMENTS(all_rows), NULL);
  check_violations(scatter_op(), scatter_rows, G_N_ELEMENTS(scatter_rows), NULL);
}

static void test_hostile(void) {
  check_hostile(all_rows, G_N_ELEMENTS(all_rows), 15000);
  check_hostile(scatter_rows, G_N_ELEMENTS(scatter_rows), 15000);
}

/* What drawn programs have to show at least once. */
typedef struct coverage {
  uint32_t bodies;
  uint64_t group_sizes;
  bool several_groups, unsorted, empty, promotion, channel, device_ids, quantized_product;
  uint32_t groupings; /* Of several partitions, by grouping_t. */
  bool uneven, several_operands, several_shapes, several_elements; /* Of an all_reduce. */
} coverage_t;

static void visit(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const collective_attributes_t *attributes = collective_attributes(program);
  const replica_groups_t *groups = &attributes->groups;
  coverage->bodies |= 1u << attributes->reduction.body;
  bool is_product = attributes->reduction.body == REDUCE_multiply;
  coverage->quantized_product |= is_product && program->operands[0].quantization != NULL;
  coverage->group_sizes |= (uint64_t)1 << (replica_group_size(groups) - 1);
  coverage->several_groups |= groups->group_count > 1 && replica_group_size(groups) > 1;
  coverage->empty |= type_element_count(&program->operands[0]) == 0;
  coverage->promotion |= program->operands[0].element != program->results[0].element;
  coverage->channel |= attributes->channel_id < 0;
  coverage->device_ids |= attributes->channel_id > 0 && attributes->use_global_device_ids;
  if (attributes->num_partitions > 1) coverage->groupings |= 1u << collective_grouping(attributes);
  coverage->uneven |= !replica_groups_are_even(groups);
  coverage->several_operands |= program->operand_count > 2;
  for (uint32_t i = 1; i < program->operand_count; i++) {
    const type_t *first = &program->operands[0], *other = &program->operands[i];
    coverage->several_shapes |= !type_shapes_equal(first, other);
    coverage->several_elements |= first->element != other->element;
  }
  for (uint32_t i = 1; i < groups->id_count; i++) {
    coverage->unsorted |= groups->ids[i] < groups->ids[i - 1];
  }
}

static void test_drawn(void) {
  const op_t *const ops[] = {all_op(), scatter_op()};
  for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) {
    coverage_t coverage = {0};
    check_drawn(ops[i], &limits, 3000, visit, &coverage);
    for (int body = 0; body < REDUCE_BODY_COUNT; body++) {
      bool is_drawn = (coverage.bodies >> body & 1) != 0;
      g_assert_cmpint(is_drawn, ==, reduce_body_table[body].inputs == 1);
    }
    g_assert_cmphex(coverage.group_sizes & 0xffff, ==, 0xffff);
    g_assert_true(coverage.group_sizes >> (REPLICAS_MAX - 1) != 0);
    g_assert_true(coverage.several_groups && coverage.unsorted);
    g_assert_true(coverage.bodies >> REDUCE_WRITTEN & 1);
    g_assert_true(coverage.empty && coverage.promotion && coverage.quantized_product);
    g_assert_true(coverage.channel && coverage.device_ids);
    g_assert_cmphex(coverage.groupings, ==, 7);
    bool is_all = ops[i] == all_op();
    g_assert_cmpint(coverage.uneven, ==, is_all);
    g_assert_cmpint(coverage.several_operands, ==, is_all);
    g_assert_cmpint(coverage.several_shapes, ==, is_all);
    g_assert_cmpint(coverage.several_elements, ==, is_all);
    const draw_limits_t tight = {.rank_max = 2, .elements_max = 1, .terms_max = 1};
    check_drawn(ops[i], &tight, 300, visit, &coverage);
  }
}

static void test_mlir(void) {
  g_autofree char *all =
      check_text(ALL PAIRS "body=add f16[4,3] -> f32[4,3]", all_op()->print_mlir);
  g_assert_cmpstr(
      all, ==,
      "module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {\n"
      "  func.func @main(%arg0: tensor<3xf16>) -> tensor<3xf32> {\n"
      "    %0 = \"stablehlo.all_reduce\"(%arg0) <{replica_groups = dense<[[0, 1], "
      "[2, 3]]> : tensor<2x2xi64>}> ({\n"
      "    ^body(%lhs0: tensor<f32>, %rhs0: tensor<f32>):\n"
      "      %1 = \"stablehlo.add\"(%lhs0, %rhs0) : (tensor<f32>, tensor<f32>)"
      " -> tensor<f32>\n"
      "      \"stablehlo.return\"(%1) : (tensor<f32>) -> ()\n"
      "    }) : (tensor<3xf16>) -> tensor<3xf32>\n"
      "    return %0 : tensor<3xf32>\n"
      "  }\n"
      "}\n");
  g_autofree char *written =
      check_text(ALL PAIRS "body={v0=abs(a0);v1=maximum(v0,b0);return(v1)} f32[4,3] -> f32[4,3]",
                 all_op()->print_mlir);
  g_assert_nonnull(
      strstr(written,
             "    ^body(%lhs0: tensor<f32>, %rhs0: tensor<f32>):\n"
             "      %1 = \"stablehlo.abs\"(%lhs0) : (tensor<f32>) -> tensor<f32>\n"
             "      %2 = \"stablehlo.maximum\"(%1, %rhs0) : (tensor<f32>, tensor<f32>) -> "
             "tensor<f32>\n"
             "      \"stablehlo.return\"(%2) : (tensor<f32>) -> ()\n"
             "    }) : (tensor<3xf32>) -> tensor<3xf32>\n"));
  g_autofree char *several = check_text(
      ALL
      "replica_groups=[[2],[],[0,1]] channel_id=7 use_global_device_ids=true body=add f32[3] "
      "f16[3,2] -> f32[3] f32[3,2]",
      all_op()->print_mlir);
  g_assert_nonnull(strstr(several,
                          "    %0:2 = \"stablehlo.all_reduce\"(%arg0, %arg1) <{replica_groups = "
                          "dense<[[2, -1], [-1, -1], [0, 1]]> : tensor<3x2xi64>, channel_handle = "
                          "#stablehlo.channel_handle<handle = 7, type = 1>, "
                          "use_global_device_ids}> ({\n"
                          "    ^body(%lhs0: tensor<f32>, %rhs0: tensor<f32>):\n"));
  g_autofree char *scatter = check_text(
      SCATTER "replica_groups=[[1],[0]] scatter_dimension=1 body=add f32[2,4,1] -> f32[2,4,1]",
      scatter_op()->print_mlir);
  g_assert_nonnull(strstr(scatter,
                          "\"stablehlo.reduce_scatter\"(%arg0) <{replica_groups = dense<[[1], "
                          "[0]]> : tensor<2x1xi64>, scatter_dimension = 1 : i64}> ({\n"));
  g_autofree char *partitions = check_text(
      ALL PAIRS "channel_id=7 num_partitions=2 body=add f32[8] -> f32[8]", all_op()->print_mlir);
  g_assert_true(g_str_has_prefix(
      partitions,
      "module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 4 : i32} "
      "{\n  func.func @main(%arg0: tensor<f32>)"));
  g_assert_null(strstr(partitions, "<{num_partitions"));
  g_assert_null(strstr(partitions, ", num_partitions"));
  for (size_t i = 0; i < G_N_ELEMENTS(all_rows); i++) {
    g_autofree char *text = check_text(all_rows[i].line, all_op()->print_mlir);
    g_assert_true(g_str_has_suffix(text, "  }\n}\n"));
  }
  for (size_t i = 0; i < G_N_ELEMENTS(scatter_rows); i++) {
    g_autofree char *text = check_text(scatter_rows[i].line, scatter_op()->print_mlir);
    g_assert_true(g_str_has_suffix(text, "  }\n}\n"));
  }
}

static void test_words(void) {
  g_autofree char *all = check_text(ALL PAIRS "body=add f16[4,3] -> f32[4,3]", program_print_words);
  g_assert_cmpstr(all, ==,
                  "sums what the replicas of each group have in f16[4,3], accumulating in f32: 2 "
                  "groups of 2 replicas, each of which gets all; the module is what one replica "
                  "runs, among as many processes");
  g_autofree char *several =
      check_text(ALL "replica_groups=[[0,1],[2]] body=add f16[3] f32[3,2] -> f32[3] f32[3,2]",
                 program_print_words);
  g_assert_nonnull(strstr(several,
                          "in f16[3] and in f32[3,2], accumulating in f32: 2 groups of up to 2 "
                          "replicas, each"));
  g_autofree char *scatter =
      check_text(SCATTER "replica_groups=[[0,1]] scatter_dimension=0 body=add f32[2,4] -> f32[2,2]",
                 program_print_words);
  g_assert_nonnull(strstr(scatter, "each of which gets its part of dimension 0"));
  g_autofree char *partitions = check_text(
      ALL PAIRS "channel_id=1 num_partitions=2 body=add f32[8] -> f32[8]", program_print_words);
  g_assert_cmpstr(
      partitions, ==,
      "sums what the processes of each group have in f32[8], accumulating in f32: 2 groups of 4 "
      "processes, each of which gets all; the module is what one process runs, among those of 4 "
      "replicas with 2 partitions each");
}

/* ---- Groups of processes --------------------------------------------------------------------- */

/* The examples of the StableHLO specification's section on each grouping, of 2 and 4 replicas with
 * 2 partitions, as flattened ids. */
typedef struct grouping_row {
  const char *line;
  const char *groups;
} grouping_row_t;

static const grouping_row_t grouping_rows[] = {
    {ALL PAIRS "num_partitions=2 body=add f32[8] -> f32[8]", "[0,2][1,3][4,6][5,7]"},
    {ALL PAIRS "channel_id=-1 num_partitions=2 body=add f32[8] -> f32[8]", "[0,2][1,3][4,6][5,7]"},
    {ALL PAIRS "channel_id=1 num_partitions=2 body=add f32[8] -> f32[8]", "[0,2,1,3][4,6,5,7]"},
    {ALL "replica_groups=[[0,1,2,3],[4,5,6,7]] channel_id=1 use_global_device_ids=true "
         "num_partitions=2 body=add f32[8] -> f32[8]",
     "[0,1,2,3][4,5,6,7]"},
    {ALL "replica_groups=[[1],[],[2,0]] channel_id=1 num_partitions=2 body=add f32[6] -> f32[6]",
     "[2,3][4,0,5,1]"},
    {ALL "replica_groups=[[1,0]] body=add f32[2] -> f32[2]", "[1,0]"},
    {ALL "replica_groups=[[1,0]] channel_id=1 body=add f32[2] -> f32[2]", "[1,0]"},
};

static void print_processes(const program_t *program, GString *out_text) {
  const replica_groups_t groups = collective_process_groups(collective_attributes(program));
  const int64_t *id = groups.ids;
  for (uint32_t group = 0; group < groups.group_count; group++) {
    for (uint32_t i = 0; i < groups.sizes[group]; i++) {
      g_string_append_printf(out_text, "%s%" G_GINT64_FORMAT, i == 0 ? "[" : ",", *id++);
    }
    g_string_append_c(out_text, ']');
  }
}

static void test_groupings(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(grouping_rows); i++) {
    g_autofree char *groups = check_text(grouping_rows[i].line, print_processes);
    g_assert_cmpstr(groups, ==, grouping_rows[i].groups);
  }
}

static void print_leaders(const program_t *program, GString *out_text) {
  arena_t arena;
  arena_init(&arena);
  const size_t *leaders = program->op->leaders(program, 1, &arena);
  for (size_t i = 0; i < type_element_count(&program->results[1]); i++) {
    g_string_append_printf(out_text, " %zu", leaders[i]);
  }
  arena_deinit(&arena);
}

/* Of a second result, whose shape is its own. */
static void test_leaders(void) {
  g_autofree char *leaders =
      check_text(ALL
                 "replica_groups=[[1],[2,0]] num_partitions=2 body=add f32[6] f32[6,2] -> f32[6] "
                 "f32[6,2]",
                 print_leaders);
  g_assert_cmpstr(leaders, ==, " 0 1 2 3 4 5 6 7 0 1 2 3");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/collective/violations", test_violations);
  g_test_add_func("/collective/hostile", test_hostile);
  g_test_add_func("/collective/drawn", test_drawn);
  g_test_add_func("/collective/mlir", test_mlir);
  g_test_add_func("/collective/words", test_words);
  g_test_add_func("/collective/groupings", test_groupings);
  g_test_add_func("/collective/leaders", test_leaders);
  return g_test_run();
}

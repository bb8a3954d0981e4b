/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle row of stablehlo.convolution: by the specification, each group of features or of the
 * batch is a dot_general of windows. */
#include "generated/convolution_faults.h"
#include "generated/convolution_permissions.h"
#include "oracles/derived/derived.h"
#include "oracles/ops/convolution/gather.h"
#include "oracles/ops/convolution/widening.h"
#include "oracles/ops/dot_general/dot_general.h"

/* What is gathered for one case: more is left undecided rather than run out of memory. */
enum { DERIVED_BYTES_MAX = 1 << 28, PARTS_MAX = 1 << 15 };

enum { VARIANT_PRODUCTS, VARIANT_SKIPPED, VARIANTS };

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Groups that are gathered into one dot_general, as its batches. */
typedef struct groups {
  size_t first;
  size_t count;
} groups_t;

/* Matrices of elements like those of `whole`, one per group; of one group, just the matrix.  Scales
 * per axis are those of one group's channels, which run along the matrix's columns. */
static type_t make_matrices(const convolution_geometry_t *geometry, const type_t *whole,
                            groups_t groups, size_t rows, size_t columns) {
  const int64_t dims[] = {(int64_t)groups.count, (int64_t)rows, (int64_t)columns};
  type_t type = groups.count == 1 ? type_make(whole->element, 2, dims + 1)
                                  : type_make(whole->element, 3, dims);
  type.quantization = whole->quantization;
  if (whole->quantization == NULL || whole->quantization->axis < 0) return type;
  quantization_t *own = ARENA_NEW_ARRAY(geometry->arena, quantization_t, 1);
  *own = *whole->quantization;
  own->axis = (int32_t)type.rank - 1;
  own->count = (uint32_t)geometry->channels;
  own->scales += groups.first * geometry->channels;
  own->zero_points += groups.first * geometry->channels;
  type.quantization = own;
  return type;
}

static const dot_general_attributes_t *make_attributes(const program_t *whole, groups_t groups,
                                                       arena_t *arena) {
  dot_general_attributes_t *attributes = ARENA_NEW_ARRAY(arena, dot_general_attributes_t, 1);
  *attributes =
      (dot_general_attributes_t){.precision = convolution_attributes(whole)->precision,
                                 .accumulation = convolution_attributes(whole)->accumulation};
  int64_t row = 0;
  if (groups.count > 1) {
    dimension_list_append(&attributes->lhs_batching, 0);
    dimension_list_append(&attributes->rhs_batching, 0);
    row = 1;
  }
  dimension_list_append(&attributes->lhs_contracting, row + 1);
  dimension_list_append(&attributes->rhs_contracting, row);
  return attributes;
}

/* Where group `group` starts in the operands. */
static size_t find_lhs_base(const convolution_geometry_t *geometry, size_t group) {
  const convolution_attributes_t *attributes = convolution_attributes(&geometry->instance->program);
  if (attributes->batch_group_count > 1) {
    bool interleaves = geometry->fault == FAULT_convolution_batch_interleaved;
    /* Interleaved strides have the factor of all groups already. */
    return interleaves ? group * (geometry->lhs.batch / geometry->groups)
                       : group * geometry->batch * geometry->lhs.batch;
  }
  if (geometry->fault == FAULT_convolution_groups_interleaved) {
    return group * (geometry->lhs.feature / geometry->groups);
  }
  bool reverses = geometry->fault == FAULT_convolution_groups_reversed;
  size_t from = reverses ? geometry->groups - 1 - group : group;
  return from * geometry->features * geometry->lhs.feature;
}

/* One choice of a block in each spatial dimension; `choice` is a number below their product. */
static convolution_part_t choose_blocks(const convolution_geometry_t *geometry, size_t choice,
                                        size_t group) {
  convolution_part_t part = {
      .window_count = 1,
      .lhs_base = find_lhs_base(geometry, group),
      .rhs_base = group * geometry->channels * geometry->rhs.batch,
      .result_base = group * geometry->channels * geometry->result.feature,
  };
  if (geometry->fault == FAULT_convolution_first_kernel_for_all) part.rhs_base = 0;
  const convolution_attributes_t *attributes = convolution_attributes(&geometry->instance->program);
  bool interleaves = geometry->fault == FAULT_convolution_results_interleaved;
  if (interleaves && attributes->feature_group_count > 1) {
    part.result_base = group * (geometry->result.feature / geometry->groups);
  }
  part.tail_places[geometry->spatial_count] = 1;
  for (uint32_t dim = geometry->spatial_count; dim-- > 0;) {
    const window_blocks_t *blocks = &geometry->blocks[dim];
    part.blocks[dim] = &blocks->blocks[choice % blocks->count];
    choice /= blocks->count;
    part.window_count *= part.blocks[dim]->window_count;
    part.tail_places[dim] = part.tail_places[dim + 1] * part.blocks[dim]->place_count;
  }
  return part;
}

static derived_part_t gather_part(const convolution_geometry_t *geometry, size_t choice,
                                  groups_t groups) {
  const program_t *whole = &geometry->instance->program;
  convolution_part_t part = choose_blocks(geometry, choice, groups.first);
  size_t rows = geometry->batch * part.window_count;
  size_t terms = part.tail_places[0] * geometry->features, columns = geometry->channels;
  const type_t *lhs = &whole->operands[CONVOLUTION_LHS];
  const type_t *rhs = &whole->operands[CONVOLUTION_RHS];
  program_t program = {
      .op = op_find(str_from("stablehlo.dot_general")),
      .attributes = make_attributes(whole, groups, geometry->arena),
      .operand_count = 2,
      .result_count = 1,
      .operands = {make_matrices(geometry, lhs, groups, rows, terms),
                   make_matrices(geometry, rhs, groups, terms, columns)},
      .results = {make_matrices(geometry, &whole->results[0], groups, rows, columns)},
  };
  case_t instance = case_make(geometry->arena, &program);
  size_t count = groups.count * rows * columns;
  size_t *elements = ARENA_NEW_ARRAY(geometry->arena, size_t, count);
  for (size_t i = 0; i < groups.count; i++) {
    part = choose_blocks(geometry, choice, groups.first + i);
    uint8_t *left = instance.operands[0].data + i * rows * terms * element_bytes(lhs->element);
    uint8_t *right = instance.operands[1].data + i * terms * columns * element_bytes(rhs->element);
    convolution_gather_lhs(geometry, &part, left);
    convolution_gather_rhs(geometry, &part, right);
    convolution_map_elements(geometry, &part, elements + i * rows * columns);
  }
  return (derived_part_t){.instance = instance, .element_count = count, .elements = elements};
}

/* ---- Geometry -------------------------------------------------------------------------------- */

static convolution_strides_t find_strides(const type_t *type,
                                          const convolution_numbers_t *numbers) {
  size_t of_dim[TYPE_RANK_MAX] = {0}, stride = 1;
  for (uint32_t dim = type->rank; dim-- > 0;) {
    of_dim[dim] = stride;
    stride *= (size_t)type->dims[dim];
  }
  convolution_strides_t strides = {.batch = of_dim[numbers->batch],
                                   .feature = of_dim[numbers->feature]};
  for (uint32_t i = 0; i < numbers->spatial.count; i++) {
    strides.spatial[i] = of_dim[numbers->spatial.dims[i]];
  }
  return strides;
}

static void exchange(size_t *a, size_t *b) {
  size_t kept = *a;
  *a = *b;
  *b = kept;
}

static bool has_square_result(const convolution_geometry_t *geometry) {
  const program_t *program = &geometry->instance->program;
  const int64_t *spatial = convolution_attributes(program)->output.spatial.dims;
  return program->results[0].dims[spatial[0]] == program->results[0].dims[spatial[1]];
}

static void apply_fault(convolution_geometry_t *geometry) {
  const convolution_attributes_t *attributes = convolution_attributes(&geometry->instance->program);
  const type_t *rhs = &geometry->instance->program.operands[CONVOLUTION_RHS];
  const int64_t *spatial = attributes->kernel.spatial.dims;
  const type_t *lhs = &geometry->instance->program.operands[CONVOLUTION_LHS];
  switch ((int)geometry->fault) {
    case FAULT_convolution_padding_stored_zero:
      geometry->padding = 0;
      break;
    case FAULT_convolution_groups_interleaved:
      geometry->lhs.feature *= (size_t)attributes->feature_group_count;
      break;
    case FAULT_convolution_batch_interleaved:
      geometry->lhs.batch *= (size_t)attributes->batch_group_count;
      break;
    case FAULT_convolution_kernel_features_swapped:
      if (rhs->dims[attributes->kernel.batch] != rhs->dims[attributes->kernel.feature]) break;
      exchange(&geometry->rhs.batch, &geometry->rhs.feature);
      break;
    case FAULT_convolution_batch_as_feature:
      if (lhs->dims[attributes->input.batch] != lhs->dims[attributes->input.feature]) break;
      exchange(&geometry->lhs.batch, &geometry->lhs.feature);
      break;
    case FAULT_convolution_result_transposed:
      if (geometry->spatial_count < 2 || !has_square_result(geometry)) break;
      exchange(&geometry->result.spatial[0], &geometry->result.spatial[1]);
      break;
    case FAULT_convolution_results_interleaved:
      geometry->result.feature *= (size_t)attributes->feature_group_count;
      break;
    case FAULT_convolution_spatial_transposed:
      if (geometry->spatial_count < 2 || rhs->dims[spatial[0]] != rhs->dims[spatial[1]]) break;
      exchange(&geometry->rhs.spatial[0], &geometry->rhs.spatial[1]);
      break;
    default:
      break;
  }
}

static convolution_geometry_t make_geometry(const case_t *instance, fault_t fault, arena_t *arena) {
  const program_t *program = &instance->program;
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const type_t *lhs = &program->operands[CONVOLUTION_LHS];
  const type_t *rhs = &program->operands[CONVOLUTION_RHS];
  convolution_geometry_t geometry = {
      .instance = instance,
      .fault = fault,
      .arena = arena,
      .spatial_count = attributes->kernel.spatial.count,
      .lhs = find_strides(lhs, &attributes->input),
      .rhs = find_strides(rhs, &attributes->kernel),
      .result = find_strides(&program->results[0], &attributes->output),
      .groups = (size_t)(attributes->feature_group_count * attributes->batch_group_count),
  };
  geometry.batch = (size_t)program->results[0].dims[attributes->output.batch];
  geometry.features = (size_t)rhs->dims[attributes->kernel.feature];
  geometry.channels = (size_t)rhs->dims[attributes->kernel.batch] / geometry.groups;
  if (lhs->quantization != NULL) {
    geometry.padding = (uint64_t)lhs->quantization->zero_points[0] & element_mask(lhs->element);
  }
  apply_fault(&geometry);
  return geometry;
}

/* Bytes of the gathered lhs, or more than DERIVED_BYTES_MAX; the table of places of a spatial
 * dimension counts too. */
static size_t count_bytes(const convolution_geometry_t *geometry) {
  const program_t *program = &geometry->instance->program;
  const convolution_attributes_t *attributes = convolution_attributes(program);
  __int128 bytes = (__int128)(geometry->batch * geometry->groups) * (__int128)geometry->features *
                   (__int128)element_bytes(program->operands[CONVOLUTION_LHS].element);
  __int128 most = bytes;
  for (uint32_t dim = 0; dim < geometry->spatial_count; dim++) {
    __int128 windows = program->results[0].dims[attributes->output.spatial.dims[dim]];
    __int128 places = program->operands[CONVOLUTION_RHS].dims[attributes->kernel.spatial.dims[dim]];
    __int128 table = windows * places * (__int128)sizeof(int64_t);
    bytes *= windows * places;
    most = MAX(MAX(most, bytes), table);
    if (most > DERIVED_BYTES_MAX) return (size_t)DERIVED_BYTES_MAX + 1;
  }
  return (size_t)most;
}

/* A spatial dimension, with what a faulty implementation takes from the first one. */
static convolution_axis_t read_axis(const program_t *program, uint32_t dim, fault_t fault) {
  convolution_axis_t axis = convolution_axis(program, dim), first = convolution_axis(program, 0);
  if (fault == FAULT_convolution_stride_of_first) axis.stride = first.stride;
  if (fault == FAULT_convolution_padding_of_first) axis.padding.low = first.padding.low;
  if (fault == FAULT_convolution_dilation_of_first) axis.rhs_dilation = first.rhs_dilation;
  return axis;
}

static size_t make_blocks(convolution_geometry_t *geometry, bool skips_padding) {
  const program_t *program = &geometry->instance->program;
  const convolution_attributes_t *attributes = convolution_attributes(program);
  size_t choices = 1;
  for (uint32_t dim = 0; dim < geometry->spatial_count; dim++) {
    convolution_axis_t axis = read_axis(program, dim, geometry->fault);
    size_t windows = (size_t)program->results[0].dims[attributes->output.spatial.dims[dim]];
    geometry->blocks[dim] = window_blocks_make(&axis, windows, geometry->lhs.spatial[dim],
                                               skips_padding, geometry->fault, geometry->arena);
    choices *= geometry->blocks[dim].count;
  }
  return choices;
}

/* Then groups cannot be batches of one dot_general. */
static bool has_scales_per_group(const program_t *program) {
  const quantization_t *rhs = program->operands[CONVOLUTION_RHS].quantization;
  const quantization_t *result = program->results[0].quantization;
  return (rhs != NULL && rhs->axis >= 0) || (result != NULL && result->axis >= 0);
}

static status_t convolution_gather(const case_t *instance, uint32_t variant, fault_t fault,
                                   arena_t *arena, derived_parts_t *out_parts, failure_t *error) {
  *out_parts = (derived_parts_t){0};
  if (type_element_count(&instance->program.results[0]) == 0) return STATUS_OK;
  convolution_geometry_t geometry = make_geometry(instance, fault, arena);
  if (count_bytes(&geometry) > DERIVED_BYTES_MAX) {
    return status_fail(error, STATUS_UNDECIDED,
                       "the windows of this convolution take more than %d bytes",
                       (int)DERIVED_BYTES_MAX);
  }
  bool skips_padding = variant == VARIANT_SKIPPED || fault == FAULT_convolution_padding_skipped;
  size_t choices = make_blocks(&geometry, skips_padding);
  size_t together = has_scales_per_group(&instance->program) ? 1 : geometry.groups;
  size_t groupings = geometry.groups / together, count = choices * groupings;
  if (count > PARTS_MAX) {
    return status_fail(error, STATUS_UNDECIDED, "this convolution has more than %d parts",
                       (int)PARTS_MAX);
  }
  derived_part_t *parts = ARENA_NEW_ARRAY(arena, derived_part_t, count);
  for (size_t i = 0; i < count; i++) {
    groups_t groups = {.first = i % groupings * together, .count = together};
    parts[i] = gather_part(&geometry, i / groupings, groups);
  }
  *out_parts = (derived_parts_t){.count = count, .parts = parts};
  return STATUS_OK;
}

/* ---- The row --------------------------------------------------------------------------------- */

static uint32_t count_variants(const case_t *instance, const contract_t *contract) {
  (void)instance;
  return PERMITTED(contract, convolution_padding) == 0 ? 1 : VARIANTS;
}

static const char *name_variant(uint32_t variant) {
  return variant == VARIANT_SKIPPED ? "convolution_padding=skipped" : "";
}

static const gathering_t gathering = {
    .gather = convolution_gather,
    .count_variants = count_variants,
    .name_variant = name_variant,
};

static status_t find_formula(const oracle_call_t *call, const accept_t *accepts,
                             uint8_t *out_formula, bool *out_found) {
  if (call->instance->program.results[0].quantization == NULL) {
    *out_found = false;
    return status_fail(call->error, STATUS_UNSUPPORTED,
                       "only quantized results have several formulas");
  }
  return derived_find_formula(call, accepts, out_formula, out_found);
}

static bool names_algorithm(const program_t *program) {
  (void)program;
  return false;
}

static bool takes_precision(const program_t *program) {
  return convolution_attributes(program)->accumulation == NULL && precision_concerns(program);
}

static const oracle_t convolution_oracle = {
    .op_name = "stablehlo.convolution",
    .gathering = &gathering,
    .accept = derived_accept,
    .decide = convolution_decide,
    .ranges = convolution_ranges,
    .audit = derived_audit,
    .simulate = convolution_simulate,
    .names_algorithm = names_algorithm,
    .takes_precision = takes_precision,
    .consistent = derived_consistent,
    .find_formula = find_formula,
    .enclose = convolution_enclose,
};

extern const oracle_t *const convolution_oracles[];
const oracle_t *const convolution_oracles[] = {&convolution_oracle, NULL};

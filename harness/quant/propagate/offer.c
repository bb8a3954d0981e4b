/* SPDX-License-Identifier: Apache-2.0 */
/* What is offered for a port that is open: quant.md, "Offers". */
#include <math.h>

#include "harness/quant/propagate/state.h"

static const quant_spec_t open_spec = {.kind = QUANT_SPEC_OPEN};

bool quant_spec_is_wide_enough(const quant_spec_t *constraint, const quant_spec_t *spec) {
  return constraint->kind != QUANT_SPEC_ANY || (spec->storage_min <= constraint->storage_min &&
                                                constraint->storage_max <= spec->storage_max);
}

status_t quant_visit_admits(const quant_visit_t *visit, uint32_t port, const quant_spec_t *spec,
                            failure_t *error) {
  const quant_port_state_t *state = &visit->states[port];
  /* Only a rescale's ports stay wildcards: they take all that fits the tensor. */
  if (state->signature->kind == QUANT_PORT_FLOAT) {
    return status_fail(error, STATUS_INVALID, "%s stays in high precision", state->signature->name);
  }
  if (state->signature->kind == QUANT_PORT_STORAGE) {
    STATUS_TRY(quant_port_admits(state->signature, spec, error));
  }
  const quant_spec_t *constraint =
      quant_port_constraint(visit->run->graph, &visit->shape->ports[port]);
  bool is_seen = visit->run->fault != QUANT_FAULT_bits_unseen;
  if (is_seen && !quant_spec_is_wide_enough(constraint, spec)) {
    return status_fail(error, STATUS_INVALID, "%s is to have at least the range %lld to %lld",
                       state->signature->name, (long long)constraint->storage_min,
                       (long long)constraint->storage_max);
  }
  return quant_spec_check(spec, state->type, error);
}

/* Parameters for `count` ranges along `axis`, or for one if that is -1; OPEN if there are none. */
static quant_spec_t offer_range(const quant_visit_t *visit, uint32_t port, int32_t axis,
                                uint32_t count, const double *minima, const double *maxima) {
  const quant_port_state_t *state = &visit->states[port];
  const quant_signature_port_t *signature = state->signature;
  if (signature->kind != QUANT_PORT_STORAGE) return open_spec;
  quant_range_request_t request = {.expressed = state->type->element,
                                   .storage = signature->storage,
                                   .storage_min = signature->storage_min,
                                   .storage_max = signature->storage_max,
                                   .is_symmetric = signature->is_symmetric,
                                   .axis = axis,
                                   .count = count,
                                   .minima = minima,
                                   .maxima = maxima};
  quant_spec_t spec;
  if (quant_spec_from_range(&request, visit->run->arena, &spec, NULL) != STATUS_OK) {
    return open_spec;
  }
  return spec;
}

/* The ranges of a constant's data, one for each entry of `axis`, or one of all if that is -1. */
static void data_ranges(const tensor_t *constant, int32_t axis, uint32_t count, double *out_minima,
                        double *out_maxima) {
  const type_t *type = &constant->type;
  size_t inner = 1; /* Elements between one entry of the axis and the next. */
  for (uint32_t i = axis < 0 ? type->rank : (uint32_t)axis + 1; i < type->rank; i++) {
    inner *= (size_t)type->dims[i];
  }
  for (uint32_t i = 0; i < count; i++) out_minima[i] = out_maxima[i] = 0;
  size_t elements = type_element_count(type);
  for (size_t i = 0; i < elements; i++) {
    uint64_t bits = element_load(type->element, constant->data, i);
    double number = format_to_double(type->element->format, bits);
    size_t entry = axis < 0 ? 0 : i / inner % count;
    out_minima[entry] = fmin(out_minima[entry], number);
    out_maxima[entry] = fmax(out_maxima[entry], number);
  }
}

static quant_spec_t offer_data(const quant_visit_t *visit, uint32_t port,
                               const tensor_t *constant) {
  const type_t *type = &constant->type;
  int32_t axis = visit->states[port].signature->axis;
  bool has_axis = axis >= 0 && (uint32_t)axis < type->rank && type->dims[axis] > 0 &&
                  type->dims[axis] <= TYPE_SCALES_MAX;
  if (!has_axis) axis = -1;
  uint32_t count = has_axis ? (uint32_t)type->dims[axis] : 1;
  double *minima = ARENA_NEW_ARRAY(visit->run->arena, double, count);
  double *maxima = ARENA_NEW_ARRAY(visit->run->arena, double, count);
  data_ranges(constant, axis, count, minima, maxima);
  return offer_range(visit, port, axis, count, minima, maxima);
}

static quant_spec_t offer_of_source(const quant_visit_t *visit, uint32_t port,
                                    quant_source_t source) {
  const quant_run_t *run = visit->run;
  const quant_port_t *shape = &visit->shape->ports[port];
  const quant_value_t *value = &run->graph->values[shape->value];
  if (source == QUANT_SOURCE_VALUE) {
    /* A constant is never settled, but its own spec is what its author wants. */
    const quant_spec_t *spec =
        value->constant != NULL ? &value->spec : &run->propagation->values[shape->value];
    return spec->kind == QUANT_SPEC_UNIFORM ? *spec : open_spec;
  }
  if (source == QUANT_SOURCE_CALIBRATION) {
    const quant_spec_t *constraint = quant_port_constraint(run->graph, shape);
    if (constraint->kind != QUANT_SPEC_CALIBRATED) return open_spec;
    return offer_range(visit, port, -1, 1, &constraint->minimum, &constraint->maximum);
  }
  return value->constant != NULL ? offer_data(visit, port, value->constant) : open_spec;
}

quant_spec_t quant_offer(const quant_visit_t *visit, uint32_t port, quant_source_t source) {
  quant_spec_t spec = offer_of_source(visit, port, source);
  if (spec.kind == QUANT_SPEC_OPEN) return spec;
  return quant_visit_admits(visit, port, &spec, NULL) == STATUS_OK ? spec : open_spec;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of quantization constraints from and to types, their equality, and their checks by
 * kind. */
#include "harness/quant/spec/spec.h"

#include <inttypes.h>
#include <math.h>

quant_spec_t quant_spec_of_type(const type_t *type) {
  const quantization_t *uniform = type->quantization;
  if (uniform != NULL) {
    return (quant_spec_t){.kind = QUANT_SPEC_UNIFORM,
                          .expressed = uniform->expressed,
                          .storage = type->element,
                          .storage_min = uniform->storage_min,
                          .storage_max = uniform->storage_max,
                          .uniform = uniform};
  }
  if (type->element->kind != ELEMENT_FLOAT) return (quant_spec_t){.kind = QUANT_SPEC_OPEN};
  return (quant_spec_t){.kind = QUANT_SPEC_KEEP, .expressed = type->element};
}

bool quant_spec_narrows(const quant_spec_t *spec, const type_t *type) {
  bool is_of_floats = type->quantization == NULL && type->element->kind == ELEMENT_FLOAT;
  if (spec->kind != QUANT_SPEC_KEEP || !is_of_floats) return false;
  const element_t *stored = spec->expressed;
  return stored->kind == ELEMENT_FLOAT && stored->bits == 16 && stored->bits < type->element->bits;
}

type_t quant_spec_apply(const quant_spec_t *spec, const type_t *type) {
  type_t applied = *type;
  if (spec->kind == QUANT_SPEC_UNIFORM) {
    applied.element = spec->storage;
    applied.quantization = spec->uniform;
  } else if (quant_spec_narrows(spec, type)) {
    applied.element = spec->expressed;
  }
  return applied;
}

bool quant_spec_equal(const quant_spec_t *a, const quant_spec_t *b) {
  if (a->kind != b->kind || a->expressed != b->expressed || a->storage != b->storage) return false;
  switch (a->kind) {
    case QUANT_SPEC_OPEN:
    case QUANT_SPEC_KEEP:
      return true;
    case QUANT_SPEC_ANY:
      return a->storage_min == b->storage_min && a->storage_max == b->storage_max;
    case QUANT_SPEC_CALIBRATED:
      return a->minimum == b->minimum && a->maximum == b->maximum;
    case QUANT_SPEC_UNIFORM:
      return quantization_equal(a->uniform, b->uniform);
  }
  return false;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static status_t check_any(const quant_spec_t *spec, failure_t *error) {
  const element_t *storage = spec->storage;
  if (!element_is_integer(storage) || storage->bits > 32) {
    return status_fail(error, STATUS_INVALID,
                       "the storage type is an integer of 2 to 32 bits, not %s", storage->name);
  }
  if (spec->storage_min >= element_integer_min(storage) &&
      spec->storage_max <= (int64_t)element_integer_max(storage) &&
      spec->storage_min < spec->storage_max) {
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "storage range %" PRId64 ":%" PRId64 " is empty or exceeds %s",
                     spec->storage_min, spec->storage_max, storage->name);
}

static status_t check_calibrated(const quant_spec_t *spec, failure_t *error) {
  if (isfinite(spec->minimum) && isfinite(spec->maximum) && spec->minimum <= spec->maximum) {
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "a calibrated range is two finite numbers, the smaller first, not %g:%g",
                     spec->minimum, spec->maximum);
}

static status_t check_uniform(const quant_spec_t *spec, const type_t *type, failure_t *error) {
  const quantization_t *uniform = spec->uniform;
  if (uniform == NULL || uniform->expressed != spec->expressed ||
      uniform->storage_min != spec->storage_min || uniform->storage_max != spec->storage_max) {
    return status_fail(error, STATUS_INVALID,
                       "a uniform spec's own members differ from those of its quantization");
  }
  type_t quantized = quant_spec_apply(spec, type);
  return type_check(&quantized, error);
}

status_t quant_spec_check(const quant_spec_t *spec, const type_t *type, failure_t *error) {
  if (spec->kind == QUANT_SPEC_OPEN) return STATUS_OK;
  if (type->quantization != NULL || type->element->kind != ELEMENT_FLOAT) {
    return status_fail(error, STATUS_INVALID, "only a tensor of unquantized floats has a spec");
  }
  if (spec->expressed != type->element && !quant_spec_narrows(spec, type)) {
    return status_fail(error, STATUS_INVALID, "the spec is of %s, the tensor's elements are %s",
                       spec->expressed == NULL ? "no type" : spec->expressed->name,
                       type->element->name);
  }
  switch (spec->kind) {
    case QUANT_SPEC_OPEN:
    case QUANT_SPEC_KEEP:
      return STATUS_OK;
    case QUANT_SPEC_ANY:
      return check_any(spec, error);
    case QUANT_SPEC_CALIBRATED:
      return check_calibrated(spec, error);
    case QUANT_SPEC_UNIFORM:
      return check_uniform(spec, type, error);
  }
  return status_fail(error, STATUS_INVALID, "a spec of unknown kind");
}

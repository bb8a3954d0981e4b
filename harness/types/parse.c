/* SPDX-License-Identifier: Apache-2.0 */
/* Types from their canonical spelling.  What type_check() can say is left to it; refused here is
 * what is not spelled as type_print() spells it, and what would not fit into a type_t. */
#include "harness/types/scale.h"
#include "harness/types/type.h"

/* ---- Elements -------------------------------------------------------------------------------- */

static status_t parse_element(scan_t *scan, const char *stops, const element_t **out_element,
                              failure_t *error) {
  scan_t start = *scan;
  const element_t *element = element_find(scan_until(scan, stops));
  if (element == NULL) return scan_fail_expecting(&start, error, "an element type");
  if (!element->is_tensor_element) {
    return scan_fail(&start, error, "%s is not a tensor element type", element->name);
  }
  *out_element = element;
  return STATUS_OK;
}

static status_t parse_storage(scan_t *scan, const element_t **out_storage, failure_t *error) {
  scan_t start = *scan;
  STATUS_TRY(parse_element(scan, "<:", out_storage, error));
  if (element_is_integer(*out_storage) && (*out_storage)->bits <= 32) return STATUS_OK;
  return scan_fail(&start, error, "the storage type is an integer of 2 to 32 bits, not %s",
                   (*out_storage)->name);
}

/* ["<" min ":" max ">"] */
static status_t parse_storage_range(scan_t *scan, const element_t *storage,
                                    quantization_t *quantization, failure_t *error) {
  int64_t full_min = element_integer_min(storage);
  int64_t full_max = (int64_t)element_integer_max(storage);
  quantization->storage_min = full_min;
  quantization->storage_max = full_max;
  scan_t start = *scan;
  if (!scan_accept(scan, "<")) return STATUS_OK;
  STATUS_TRY(scan_integer(scan, &quantization->storage_min, error));
  STATUS_TRY(scan_expect(scan, ":", error));
  STATUS_TRY(scan_integer(scan, &quantization->storage_max, error));
  STATUS_TRY(scan_expect(scan, ">", error));
  if (quantization->storage_min == full_min && quantization->storage_max == full_max) {
    return scan_fail(&start, error, "the full storage range is left out");
  }
  return STATUS_OK;
}

/* ---- Scales ---------------------------------------------------------------------------------- */

static status_t parse_scale(scan_t *scan, double *out_scale, failure_t *error) {
  scan_t start = *scan;
  if (scale_parse(scan_until(scan, ":,}> "), out_scale)) return STATUS_OK;
  return scan_fail_expecting(&start, error, "a positive scale in hex such as 0x1.8p-3");
}

/* scale [":" zero-point] */
static status_t parse_scale_and_zero_point(scan_t *scan, double *out_scale, int64_t *out_zero_point,
                                           failure_t *error) {
  STATUS_TRY(parse_scale(scan, out_scale, error));
  *out_zero_point = 0;
  scan_t start = *scan;
  if (!scan_accept(scan, ":")) return STATUS_OK;
  STATUS_TRY(scan_integer(scan, out_zero_point, error));
  if (*out_zero_point == 0) return scan_fail(&start, error, "a zero point of 0 is left out");
  return STATUS_OK;
}

/* How many entries stand before the closing brace, at most one more than are allowed. */
static uint32_t count_scales(const scan_t *scan) {
  scan_t ahead = *scan;
  if (scan_peek(&ahead) == '}') return 0;
  uint32_t count = 1;
  while (count <= TYPE_SCALES_MAX) {
    (void)scan_until(&ahead, ",}> ");
    if (!scan_accept(&ahead, ",")) break;
    count++;
  }
  return count;
}

static status_t parse_scales(scan_t *scan, arena_t *arena, quantization_t *quantization,
                             failure_t *error) {
  bool per_axis = quantization->axis != -1;
  if (per_axis) STATUS_TRY(scan_expect(scan, "{", error));
  uint32_t count = per_axis ? count_scales(scan) : 1;
  if (count > TYPE_SCALES_MAX) {
    return scan_fail(scan, error, "a quantized type has at most %d scales", (int)TYPE_SCALES_MAX);
  }
  double *scales = ARENA_NEW_ARRAY(arena, double, count);
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) STATUS_TRY(scan_expect(scan, ",", error));
    STATUS_TRY(parse_scale_and_zero_point(scan, &scales[i], &zero_points[i], error));
  }
  quantization->count = count;
  quantization->scales = scales;
  quantization->zero_points = zero_points;
  return per_axis ? scan_expect(scan, "}", error) : STATUS_OK;
}

/* ---- Types ----------------------------------------------------------------------------------- */

/* storage [range] ":" expressed [":" axis] "," scales ">", after the opening angle. */
static status_t parse_quantized(scan_t *scan, arena_t *arena, type_t *type, failure_t *error) {
  quantization_t *quantization = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *quantization = (quantization_t){.axis = -1};
  STATUS_TRY(parse_storage(scan, &type->element, error));
  STATUS_TRY(parse_storage_range(scan, type->element, quantization, error));
  STATUS_TRY(scan_expect(scan, ":", error));
  STATUS_TRY(parse_element(scan, ":,", &quantization->expressed, error));
  if (scan_accept(scan, ":")) {
    scan_t start = *scan;
    int64_t axis;
    STATUS_TRY(scan_integer(scan, &axis, error));
    if (axis < 0 || axis >= TYPE_RANK_MAX) {
      return scan_fail(&start, error, "a quantization axis is in 0..%d", TYPE_RANK_MAX - 1);
    }
    quantization->axis = (int32_t)axis;
  }
  STATUS_TRY(scan_expect(scan, ",", error));
  STATUS_TRY(parse_scales(scan, arena, quantization, error));
  type->quantization = quantization;
  return scan_expect(scan, ">", error);
}

static status_t parse_shape(scan_t *scan, type_t *type, failure_t *error) {
  STATUS_TRY(scan_expect(scan, "[", error));
  if (scan_accept(scan, "]")) return STATUS_OK;
  do {
    scan_t start = *scan;
    if (type->rank == TYPE_RANK_MAX) {
      return scan_fail(scan, error, "a tensor has at most %d dimensions", (int)TYPE_RANK_MAX);
    }
    if (scan_accept(scan, "?")) type->dynamic_dims |= 1u << type->rank;
    int64_t *size = &type->dims[type->rank++];
    STATUS_TRY(scan_integer(scan, size, error));
    if (*size < 0) return scan_fail(&start, error, "a size is not negative");
  } while (scan_accept(scan, ","));
  return scan_expect(scan, "]", error);
}

status_t type_parse_element(scan_t *scan, arena_t *arena, type_t *out_type, failure_t *error) {
  type_t type = {.rank = 0};
  if (scan_accept(scan, "!quant.uniform<")) {
    STATUS_TRY(parse_quantized(scan, arena, &type, error));
  } else {
    STATUS_TRY(parse_element(scan, "[], ", &type.element, error));
  }
  *out_type = type;
  return STATUS_OK;
}

status_t type_parse(scan_t *scan, arena_t *arena, type_t *out_type, failure_t *error) {
  type_t type;
  STATUS_TRY(type_parse_element(scan, arena, &type, error));
  STATUS_TRY(parse_shape(scan, &type, error));
  *out_type = type;
  return STATUS_OK;
}

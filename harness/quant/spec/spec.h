/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of how a tensor is quantized: the quantized types of MLIR's quant dialect as model
 * constraints (of the RFC that quant.md names: "Model Constraints"). */
#ifndef ASSAY_QUANT_SPEC_SPEC_H
#define ASSAY_QUANT_SPEC_SPEC_H

#include "harness/types/type.h"

typedef enum quant_spec_kind {
  QUANT_SPEC_OPEN, /* Nothing is said: "unit". */
  QUANT_SPEC_KEEP, /* NoQuantizedType: stays a float: of the tensor's own type, "f32", or stored
                    * as a 16-bit float that is narrower: "bf16", "f16". */
  QUANT_SPEC_ANY,  /* At least so many bits: "!quant.any<i8<-8:7>:f32>". */
  QUANT_SPEC_CALIBRATED, /* Its observed range: "!quant.calibrated<f32<-0.5:1.5>>". */
  QUANT_SPEC_UNIFORM,    /* All is known: "!quant.uniform<i8:f32, 0.5:3>". */
} quant_spec_kind_t;

/* A zeroed one is open. */
typedef struct quant_spec {
  quant_spec_kind_t kind;
  const element_t *expressed; /* The float that is quantized, or stored; NULL where open. */
  const element_t *storage;   /* ANY and UNIFORM, else NULL. */
  int64_t storage_min;        /* ANY and UNIFORM: within the storage type. */
  int64_t storage_max;
  double minimum; /* CALIBRATED: finite, minimum <= maximum. */
  double maximum;
  const quantization_t *uniform; /* UNIFORM, else NULL; its members repeat the ones above. */
} quant_spec_t;

/* The spec of a quantized type's element; KEEP of an unquantized float. */
quant_spec_t quant_spec_of_type(const type_t *type);

/* The high-precision type with its element quantized as a UNIFORM spec says, or stored as a KEEP
 * spec does; as it is for others. */
type_t quant_spec_apply(const quant_spec_t *spec, const type_t *type);

/* Whether they say the same, numbers compared exactly. */
bool quant_spec_equal(const quant_spec_t *a, const quant_spec_t *b);

/* Whether it says that a tensor of the high-precision type is stored as a narrower float. */
bool quant_spec_narrows(const quant_spec_t *spec, const type_t *type);

/* STATUS_INVALID unless the spec fits a tensor of the high-precision type: the expressed type is
 * its element, or a narrower float that it is stored as, a quantization axis is one of its
 * dimensions with as many scales as that has entries, and scales, zero points and ranges are as the
 * StableHLO specification wants
 * ("Quantized types"). */
status_t quant_spec_check(const quant_spec_t *spec, const type_t *type, failure_t *error);

/* MLIR's spelling, as in the comments above; scales and ranges as the shortest decimals that are
 * read back as the same binary64, unsigned storage types as "u8".  Parsing also takes "ui8",
 * hexadecimal floats, blanks as MLIR does, and a zero point or range left out, and rounds scales to
 * the nearest number of the expressed type; what quant_spec_check() passes is read back as it is.
 * Blockwise quantization is refused by name. */
status_t quant_spec_parse(scan_t *scan, arena_t *arena, quant_spec_t *out_spec, failure_t *error);
void quant_spec_print(const quant_spec_t *spec, GString *out_text);

/* What a range of values asks for: the parameters by which `storage` within [storage_min,
 * storage_max] holds [minimum, maximum] together with 0 (Jacob et al. 2018, section 3, as
 * TensorFlow Lite publishes it).  The range is widened to hold 0; the scale is its width over the
 * storage range's, rounded up to the expressed type; the zero point is the storage value nearest to
 * what 0 becomes (ties to even), within the storage range.  Symmetric: the zero point is 0 and the
 * scale max(|minimum|, |maximum|) over min(-storage_min, storage_max), rounded up.  A range of only
 * 0 gives scale 1.  With an axis, one scale for each of the `count` ranges; axis -1 takes one
 * range. STATUS_INVALID if a scale is no positive finite number of the expressed type, or a
 * symmetric range does not hold 0. */
typedef struct quant_range_request {
  const element_t *expressed;
  const element_t *storage;
  int64_t storage_min;
  int64_t storage_max;
  bool is_symmetric;
  int32_t axis;
  uint32_t count;
  const double *minima; /* `count` finite numbers each. */
  const double *maxima;
} quant_range_request_t;
status_t quant_spec_from_range(const quant_range_request_t *request, arena_t *arena,
                               quant_spec_t *out_spec, failure_t *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A rule of a target of your own: a C function that derives the quantization parameters of some
 * ports of a kernel from those of others (QuantFn of the RFC that quant.md names).
 *
 * Standalone (C11 and C++17): no other Assay header.  A shared object exports functions of this
 * type under names of its own, and a table names them (target.md):
 *
 *   table mine                         cc -shared -fPIC -o functions.so functions.c
 *   default i8
 *   library functions.so
 *   kernel add
 *     in left i8
 *     in right i8
 *     out output i8
 *     rule function holds_every_sum left right output
 *   end
 *
 * A function is asked again and again while parameters become known, from one thread, and must be
 * a function in the mathematical sense: what it answers follows from the ports alone; what it
 * derived it accepts when it is given that too; and what it derived or accepted it still does when
 * more ports are known.  The first two are checked at every visit: a region whose function breaks
 * them stays in high precision, with the reason, and if that shows only when the region is settled
 * propagation ends with an error.  `assay quant fuzz --table` tries the third on random models. */
#ifndef ASSAY_QUANT_FUNCTION_H
#define ASSAY_QUANT_FUNCTION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_QUANT_FUNCTION_VERSION 1u

/* What a function may answer. */
enum {
  /* All known ports obey it; of the others it has derived what follows, which may be none. */
  ASSAY_QUANT_FUNCTION_HOLDS = 0,

  /* No parameters of the other ports can obey it, given the known ones: write why to `message`. */
  ASSAY_QUANT_FUNCTION_CONTRADICTS = 1,

  /* A known port follows from ports that are not known yet: only these may decide it. */
  ASSAY_QUANT_FUNCTION_WAITS = 2,
};

/* A port.  All memory is Assay's and lives until the function returns. */
typedef struct assay_quant_port {
  const char *name;      /* In the row of the table. */
  const char *expressed; /* MLIR's spelling of the float that is quantized: "f32". */
  const char *storage;   /* "i8", "ui8", ... */
  const int64_t *dims;   /* `rank` sizes of the tensor. */
  uint32_t rank;
  uint32_t is_output; /* 0 or 1. */

  /* 1: the parameters below are known, and nothing of this port may be written.  0: they are not;
   * to derive them write them and set this to 1. */
  uint32_t is_known;

  /* Dimension along which scales differ, or -1: one scale for the tensor.  Of a port that is not
   * known it is the dimension along which the row permits that; write -1 for one scale. */
  int32_t axis;

  /* How many scales and zero points there are: 1 without an axis, else the entries of that
   * dimension.  The arrays have room for as many as the row permits. */
  uint32_t count;
  double *scales; /* Positive.  What is written is rounded to nearest even in `expressed`. */
  int64_t *zero_points;

  /* The range of storage values.  Of a port that is not known, the widest that the row permits:
   * leave it, or write a narrower one. */
  int64_t storage_min;
  int64_t storage_max;
} assay_quant_port_t;

typedef struct assay_quant_request {
  uint32_t version;    /* ASSAY_QUANT_FUNCTION_VERSION of the Assay that asks. */
  uint32_t port_count; /* As many as the rule names: a repeated port is there once for each of its
                        * inputs, an optional one that is missing is not. */
  assay_quant_port_t *ports; /* In the order in which the rule names them. */
  char *message;             /* `message_bytes` for text that ends with a 0 byte. */
  size_t message_bytes;
} assay_quant_request_t;

typedef int32_t (*assay_quant_function_t)(const assay_quant_request_t *request);

#ifdef __cplusplus
}
#endif

#endif

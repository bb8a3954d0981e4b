/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.repeat, byteir.non_zero, tf.DynamicPartition, tf.DynamicStitch and tf.Select: operands say
 * where elements go, so that the sizes of results depend on data.  A case has results of fixed
 * sizes, and operands that give these. */
#ifndef ASSAY_ORACLES_OPS_DATA_DEPENDENT_DATA_DEPENDENT_H
#define ASSAY_ORACLES_OPS_DATA_DEPENDENT_DATA_DEPENDENT_H

#include "harness/kinds/byteir.h"

/* Of tf.DynamicPartition; the other ops have no attributes. */
typedef struct partition_attributes {
  int64_t num_partitions;
} partition_attributes_t;

typedef enum dependent_op {
  DEPENDENT_REPEAT,    /* (data T[n, ...], times [n]) -> T[sum of times, ...] */
  DEPENDENT_NON_ZERO,  /* (data [...]) -> [elements other than zero, rank] */
  DEPENDENT_PARTITION, /* (data T[n, ...], partitions i32[n]) -> num_partitions T[..., ...] */
  DEPENDENT_STITCH,    /* (k indices i32[n_i], k data T[n_i, ...]) -> T[largest index + 1, ...] */
  DEPENDENT_SELECT,    /* (condition i1, T, T) -> T */
} dependent_op_t;

/* Which of the ops the program's is. */
dependent_op_t dependent_op_of(const program_t *program);

/* Elements of a row: of what lies behind the first dimension, 1 of rank 0. */
size_t dependent_row_size(const type_t *type);

/* The integer in an operand, 0 or 1 of booleans. */
int64_t dependent_integer(const tensor_t *tensor, size_t element);

/* Of a type with a zero: whether an element is one, of whatever sign. */
bool dependent_is_zero(const tensor_t *tensor, size_t element);

/* Whether a condition of tf.Select is one for each row, and not one for each element. */
bool dependent_selects_rows(const program_t *program);

#endif

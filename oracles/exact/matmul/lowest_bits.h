/* SPDX-License-Identifier: Apache-2.0 */
/* The least exponents of lowest set bits in the rows or columns of a matrix, as powers of two: in
 * vector loops, since sums of small integers ask for all of their factors. */
#ifndef ASSAY_ORACLES_EXACT_MATMUL_LOWEST_BITS_H
#define ASSAY_ORACLES_EXACT_MATMUL_LOWEST_BITS_H

#include <stddef.h>

/* For each of the columns of [rows][columns] of binary64, or of binary32: the largest power of two
 * of which all its finite numbers are multiples, or infinity if they are all 0. */
void lowest_bits_of_columns_f64(const double *numbers, size_t rows, size_t columns, double *out);
void lowest_bits_of_columns_f32(const float *numbers, size_t rows, size_t columns, double *out);

/* The same of `count` numbers in a row. */
double lowest_bits_of_row_f64(const double *numbers, size_t count);
double lowest_bits_of_row_f32(const float *numbers, size_t count);

#endif

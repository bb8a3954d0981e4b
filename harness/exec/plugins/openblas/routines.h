/* SPDX-License-Identifier: Apache-2.0 */
/* The routines of cblas that can do a dot_general, and how they are called. */
#ifndef ASSAY_EXEC_PLUGINS_OPENBLAS_ROUTINES_H
#define ASSAY_EXEC_PLUGINS_OPENBLAS_ROUTINES_H

#include <cblas.h>
#include <stdbool.h>
#include <stddef.h>

/* What is looked up in the library, behind a prefix that all its names may have. */
#define CBLAS_FUNCTIONS(FUNCTION) \
  FUNCTION(cblas_sgemm)           \
  FUNCTION(cblas_dgemm)           \
  FUNCTION(cblas_cgemm)           \
  FUNCTION(cblas_zgemm)           \
  FUNCTION(cblas_sgemv)           \
  FUNCTION(cblas_dgemv)           \
  FUNCTION(cblas_cgemv)           \
  FUNCTION(cblas_zgemv)           \
  FUNCTION(cblas_sdot)            \
  FUNCTION(cblas_ddot)            \
  FUNCTION(cblas_dsdot)           \
  FUNCTION(cblas_cdotu_sub)       \
  FUNCTION(cblas_zdotu_sub)

typedef struct blas {
#define FUNCTION(name) __typeof__(&name) name;
  CBLAS_FUNCTIONS(FUNCTION)
#undef FUNCTION
} blas_t;

/* A matrix where it lies: element (i, term) is at i * outer_stride + term * term_stride. */
typedef struct matrix {
  const void *data;
  enum CBLAS_TRANSPOSE transpose; /* As (rows or columns) x terms: NoTrans if terms are dense. */
  blasint leading;                /* Leading dimension, at least 1. */
  blasint outer_stride;
  blasint term_stride;
} matrix_t;

/* result (rows x columns, row-major) = lhs (rows x terms) * rhs (columns x terms) transposed. */
typedef struct product {
  blasint rows;
  blasint columns;
  blasint terms;
  matrix_t lhs;
  matrix_t rhs;
  void *result;
} product_t;

typedef struct routine {
  const char *option; /* The option that asks for it. */
  const char *name;
  const char *operand; /* Element types. */
  const char *result;
  const char *algorithm; /* What it does, as plugin_algorithm_suits() takes it. */
  size_t operand_bytes;
  size_t result_bytes;
  bool needs_terms; /* Leaves the result alone where there is nothing to add. */
  void (*run)(const blas_t *blas, const product_t *product);
} routine_t;

/* All routines, and their number. */
extern const routine_t openblas_routines[];
extern const size_t openblas_routine_count;

#endif

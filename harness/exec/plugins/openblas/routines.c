#include "harness/exec/plugins/openblas/routines.h"

static enum CBLAS_TRANSPOSE opposite(enum CBLAS_TRANSPOSE transpose) {
  return transpose == CblasNoTrans ? CblasTrans : CblasNoTrans;
}

/* Three shapes of call, four element types.  ONE and ZERO are the scalars of the
 * type as cblas takes them; COMPONENTS is 2 for complex numbers. */

static const float complex_one_f32[2] = {1, 0};
static const float complex_zero_f32[2] = {0, 0};
static const double complex_one_f64[2] = {1, 0};
static const double complex_zero_f64[2] = {0, 0};

#define DEFINE_GEMM(prefix, type, one, zero)                                                    \
  static void run_##prefix##gemm(const blas_t *blas, const product_t *p) {                      \
    blas->cblas_##prefix##gemm(CblasRowMajor, p->lhs.transpose, opposite(p->rhs.transpose),     \
                               p->rows, p->columns, p->terms, one, (const type *)p->lhs.data,   \
                               p->lhs.leading, (const type *)p->rhs.data, p->rhs.leading, zero, \
                               (type *)p->result, p->columns);                                  \
  }

#define DEFINE_GEMV(prefix, type, components, one, zero)                                         \
  static void run_##prefix##gemv(const blas_t *blas, const product_t *p) {                       \
    bool is_plain = p->lhs.transpose == CblasNoTrans;                                            \
    for (blasint column = 0; column < p->columns; column++) {                                    \
      const type *vector = (const type *)p->rhs.data +                                           \
                           (size_t)(components) * (size_t)column * (size_t)p->rhs.outer_stride;  \
      type *result = (type *)p->result + (size_t)(components) * (size_t)column;                  \
      blas->cblas_##prefix##gemv(CblasRowMajor, p->lhs.transpose, is_plain ? p->rows : p->terms, \
                                 is_plain ? p->terms : p->rows, one, (const type *)p->lhs.data,  \
                                 p->lhs.leading, vector, p->rhs.term_stride, zero, result,       \
                                 p->columns);                                                    \
    }                                                                                            \
  }

#define DEFINE_DOT(name, type, result_type, components, CALL)                                \
  static void run_##name(const blas_t *blas, const product_t *p) {                           \
    result_type *result = (result_type *)p->result;                                          \
    for (blasint row = 0; row < p->rows; row++) {                                            \
      const type *x = (const type *)p->lhs.data +                                            \
                      (size_t)(components) * (size_t)row * (size_t)p->lhs.outer_stride;      \
      for (blasint column = 0; column < p->columns; column++) {                              \
        const type *y = (const type *)p->rhs.data +                                          \
                        (size_t)(components) * (size_t)column * (size_t)p->rhs.outer_stride; \
        CALL(name);                                                                          \
        result += (components);                                                              \
      }                                                                                      \
    }                                                                                        \
  }
#define RETURNING(name) \
  *result = blas->cblas_##name(p->terms, x, p->lhs.term_stride, y, p->rhs.term_stride)
#define STORING(name) \
  blas->cblas_##name##_sub(p->terms, x, p->lhs.term_stride, y, p->rhs.term_stride, result)

DEFINE_GEMM(s, float, 1.0f, 0.0f)
DEFINE_GEMM(d, double, 1.0, 0.0)
DEFINE_GEMM(c, float, complex_one_f32, complex_zero_f32)
DEFINE_GEMM(z, double, complex_one_f64, complex_zero_f64)
DEFINE_GEMV(s, float, 1, 1.0f, 0.0f)
DEFINE_GEMV(d, double, 1, 1.0, 0.0)
DEFINE_GEMV(c, float, 2, complex_one_f32, complex_zero_f32)
DEFINE_GEMV(z, double, 2, complex_one_f64, complex_zero_f64)
DEFINE_DOT(sdot, float, float, 1, RETURNING)
DEFINE_DOT(ddot, double, double, 1, RETURNING)
DEFINE_DOT(dsdot, float, double, 1, RETURNING)
DEFINE_DOT(cdotu, float, float, 2, STORING)
DEFINE_DOT(zdotu, double, double, 2, STORING)

#define F32_F32_F32 "[f32,f32,f32,1,1,1,false]"
#define F64_F64_F64 "[f64,f64,f64,1,1,1,false]"

/* sdot does none: on x86 it adds up blocks of its terms in f64.  Nor do the complex ones, since the
 * algorithms speak of real numbers. */
const routine_t openblas_routines[] = {
    {"gemm", "sgemm", "f32", "f32", F32_F32_F32, 4, 4, false, run_sgemm},
    {"gemm", "dgemm", "f64", "f64", F64_F64_F64, 8, 8, false, run_dgemm},
    {"gemm", "cgemm", "complex<f32>", "complex<f32>", NULL, 8, 8, false, run_cgemm},
    {"gemm", "zgemm", "complex<f64>", "complex<f64>", NULL, 16, 16, false, run_zgemm},
    {"gemv", "sgemv", "f32", "f32", F32_F32_F32, 4, 4, true, run_sgemv},
    {"gemv", "dgemv", "f64", "f64", F64_F64_F64, 8, 8, true, run_dgemv},
    {"gemv", "cgemv", "complex<f32>", "complex<f32>", NULL, 8, 8, true, run_cgemv},
    {"gemv", "zgemv", "complex<f64>", "complex<f64>", NULL, 16, 16, true, run_zgemv},
    {"dot", "sdot", "f32", "f32", NULL, 4, 4, false, run_sdot},
    {"dot", "ddot", "f64", "f64", F64_F64_F64, 8, 8, false, run_ddot},
    {"dot", "cdotu", "complex<f32>", "complex<f32>", NULL, 8, 8, false, run_cdotu},
    {"dot", "zdotu", "complex<f64>", "complex<f64>", NULL, 16, 16, false, run_zdotu},
    {"dsdot", "dsdot", "f32", "f64", NULL, 4, 8, false, run_dsdot},
};

const size_t openblas_routine_count = sizeof openblas_routines / sizeof openblas_routines[0];

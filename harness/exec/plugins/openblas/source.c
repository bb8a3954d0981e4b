/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the same calls that routines.c makes. */
#include "harness/exec/plugins/openblas/source.h"

static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,/@=";

/* The linker takes a path, or looks for a file of that name. */
static void write_heading(const blas_source_t *source, FILE *out) {
  const char *library = source->library;
  const char *slash = strrchr(library, '/');
  fprintf(out,
          "/* cblas_%s of %s, without Assay.\n"
          " *\n"
          " * Build: cc reproducer.c -o reproducer %s%s",
          source->routine->name, source->version, slash == NULL ? "-l:" : "", library);
  /* DT_RPATH, and no DT_RUNPATH, is where the library's own libraries are looked for, too. */
  if (slash != NULL) {
    fprintf(out, " -Wl,--disable-new-dtags,-rpath,%.*s", (int)(slash - library + 1), library);
  }
  fprintf(out, "\n * Run: %s ./reproducer\n */\n", source->settings);
  if (source->prefix[0] != '\0') {
    const char *suffix = strchr(source->routine->name, 'u') != NULL ? "_sub" : "";
    fprintf(out, "#define cblas_%s%s %scblas_%s%s\n", source->routine->name, suffix, source->prefix,
            source->routine->name, suffix);
  }
  fprintf(out,
          "#include <cblas.h>\n#include <inttypes.h>\n#include <stdint.h>\n#include <stdio.h>\n"
          "#include <string.h>\n\n");
}

/* The shape of a call, and the types of what it takes and gives. */
typedef struct spelling {
  const char *type; /* Of a number of operands, ... */
  const char *result;
  size_t parts; /* ... of which an element has so many. */
  const char *one, *zero;
} spelling_t;

static spelling_t spelling_of(const routine_t *routine) {
  bool is_complex = strncmp(routine->operand, "complex", strlen("complex")) == 0;
  size_t parts = is_complex ? 2 : 1;
  bool is_wide = routine->operand_bytes / parts == sizeof(double);
  bool gives_wide = routine->result_bytes / parts == sizeof(double);
  return (spelling_t){.type = is_wide ? "double" : "float",
                      .result = gives_wide ? "double" : "float",
                      .parts = parts,
                      .one = is_complex ? "one" : "1",
                      .zero = is_complex ? "zero" : "0"};
}

static const char *name_of(enum CBLAS_TRANSPOSE transpose) {
  return transpose == CblasNoTrans ? "CblasNoTrans" : "CblasTrans";
}

static void write_gemm(const blas_source_t *source, const spelling_t *spelling, FILE *out) {
  const product_t *p = &source->product;
  bool is_plain = p->rhs.transpose == CblasNoTrans;
  fprintf(out,
          "    cblas_%s(CblasRowMajor, %s, %s, %lld, %lld, %lld, %s, x, %lld, y, %lld, %s, z, "
          "%lld);\n",
          source->routine->name, name_of(p->lhs.transpose),
          is_plain ? "CblasTrans" : "CblasNoTrans", (long long)p->rows, (long long)p->columns,
          (long long)p->terms, spelling->one, (long long)p->lhs.leading, (long long)p->rhs.leading,
          spelling->zero, (long long)p->columns);
}

static void write_gemv(const blas_source_t *source, const spelling_t *spelling, FILE *out) {
  const product_t *p = &source->product;
  bool is_plain = p->lhs.transpose == CblasNoTrans;
  fprintf(out,
          "    for (int column = 0; column < %lld; column++) {\n"
          "      cblas_%s(CblasRowMajor, %s, %lld, %lld, %s, x, %lld, y + %zu * column, %lld, %s, "
          "z + %zu * column, %lld);\n    }\n",
          (long long)p->columns, source->routine->name, name_of(p->lhs.transpose),
          (long long)(is_plain ? p->rows : p->terms), (long long)(is_plain ? p->terms : p->rows),
          spelling->one, (long long)p->lhs.leading, spelling->parts * (size_t)p->rhs.outer_stride,
          (long long)p->rhs.term_stride, spelling->zero, spelling->parts, (long long)p->columns);
}

static void write_dot(const blas_source_t *source, const spelling_t *spelling, FILE *out) {
  const product_t *p = &source->product;
  bool stores = spelling->parts == 2;
  fprintf(out,
          "    for (int row = 0; row < %lld; row++) {\n"
          "      for (int column = 0; column < %lld; column++) {\n"
          "        %scblas_%s%s(%lld, x + %zu * row, %lld, y + %zu * column, %lld%s);\n"
          "        z += %zu;\n      }\n    }\n",
          (long long)p->rows, (long long)p->columns, stores ? "" : "*z = ", source->routine->name,
          stores ? "_sub" : "", (long long)p->terms, spelling->parts * (size_t)p->lhs.outer_stride,
          (long long)p->lhs.term_stride, spelling->parts * (size_t)p->rhs.outer_stride,
          (long long)p->rhs.term_stride, stores ? ", z" : "", spelling->parts);
}

static void write_main(const blas_source_t *source, const spelling_t *spelling, FILE *out) {
  const product_t *p = &source->product;
  const size_t parts = spelling->parts;
  const size_t in_lhs = parts * (size_t)(p->rows * p->terms);
  const size_t in_rhs = parts * (size_t)(p->columns * p->terms);
  const size_t in_result = parts * (size_t)(p->rows * p->columns);
  fprintf(out, "\nstatic %s a[sizeof lhs / sizeof *lhs], b[sizeof rhs / sizeof *rhs];\n",
          spelling->type);
  fprintf(out, "static %s c[%zu];\n\nint main(void) {\n", spelling->result,
          in_result * source->batch);
  if (parts == 2) {
    fprintf(out, "  static const %s one[] = {1, 0}, zero[] = {0, 0};\n", spelling->type);
  }
  fprintf(out,
          "  memcpy(a, lhs, sizeof a);\n  memcpy(b, rhs, sizeof b);\n"
          "  for (int batch = 0; batch < %zu; batch++) {\n"
          "    const %s *x = a + %zu * batch, *y = b + %zu * batch;\n"
          "    %s *z = c + %zu * batch;\n",
          source->batch, spelling->type, in_lhs, in_rhs, spelling->result, in_result);
  if (strcmp(source->routine->option, "gemm") == 0) {
    write_gemm(source, spelling, out);
  } else if (strcmp(source->routine->option, "gemv") == 0) {
    write_gemv(source, spelling, out);
  } else {
    write_dot(source, spelling, out);
  }
  fprintf(out, "  }\n");
  plugin_source_results(out, "c", in_result * source->batch, source->routine->result_bytes / parts);
  fprintf(out, "  return 0;\n}\n");
}

int32_t blas_source_write(const blas_source_t *source, FILE *out, assay_reason_t *reason) {
  const product_t *p = &source->product;
  const size_t bytes = source->routine->operand_bytes;
  if (source->library[strspn(source->library, safe)] != '\0' ||
      source->prefix[strspn(source->prefix, safe)] != '\0') {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                         "the library's path has a character that a shell would take for another");
  }
  if (p->rows == 0 || p->columns == 0 || source->batch == 0) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "the result has no elements");
  }
  const spelling_t spelling = spelling_of(source->routine);
  write_heading(source, out);
  plugin_source_array(out, "lhs", p->lhs.data,
                      source->batch * spelling.parts * (size_t)(p->rows * p->terms),
                      bytes / spelling.parts);
  plugin_source_array(out, "rhs", p->rhs.data,
                      source->batch * spelling.parts * (size_t)(p->columns * p->terms),
                      bytes / spelling.parts);
  write_main(source, &spelling, out);
  return ASSAY_EXECUTOR_OK;
}

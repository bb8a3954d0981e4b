/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as a backend: for who has a function that computes one op, and no library around it.
 *
 *   static void run(const assay_program_t *program, const void *const *operands,
 *                   void *const *results) { ... }
 *   static const assay_kernel_t kernels[] = {
 *       {"mine", "byteir.softmax", "f32 -> f32", "axis", assay_is_along_last, run}};
 *   ASSAY_KERNELS(kernels)
 *
 *   cc -O3 -shared -fPIC -I . -o libmine.so mine.c
 *   assay vet --executor dso:./libmine.so --op byteir.softmax
 *
 * Standalone, but for the executor ABI, which it fills in, and its helpers, which read attributes
 * as numbers and dimensions (executor_helpers.h, executor_products.h): a program that no row
 * describes is refused.  Of several kernels in one object `dso:./libmine.so?NAME` chooses one;
 * without a name it is the first.  Include it in one file of a shared object. */
#ifndef ASSAY_KERNEL_H
#define ASSAY_KERNEL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exec/executor_products.h"
#include "harness/exec/executor_quantized.h"

typedef struct assay_kernel {
  const char *name;
  const char *op;    /* "byteir.softmax" */
  const char *types; /* Element types of operands and results: "f32 f32 -> f32"; or with
                      * commas, "f32, f32 -> f32", or as Assay prints them, "f32,f32->f32".
                      * Quantized ones as it prints them: "quant<i8:f32> -> f32", of any scales,
                      * zero points and storage range, which assay_read_quantization() tells. */
  const char *keys;  /* The attributes that it knows, with blanks between them: "batch contract".
                      * A program with another one is refused. */
  int (*takes)(const assay_program_t *program); /* Of such a program, whether it can do exactly
                                                 * this one; NULL: any. */
  /* Computes it.  The program is a copy that lives as long as it is needed, without its MLIR.  All
   * its sizes are those of this call, and so they are for `takes`; of a program with sizes that are
   * unknown when it is compiled ("?" in program_line), the next call has others. */
  void (*run)(const assay_program_t *program, const void *const *operands, void *const *results);
} assay_kernel_t;

/* ---- What a kernel may ask of a program ------------------------------------------------------ */

/* The text of an attribute; "" if it is not there. */
static inline const char *assay_attribute(const assay_program_t *program, const char *key) {
  const char *text = assay_attribute_text(program, key);
  return text == NULL ? "" : text;
}

static inline int64_t assay_last_size(const assay_type_t *type) {
  return type->rank == 0 ? 1 : type->dims[type->rank - 1];
}

static inline int64_t assay_count(const assay_type_t *type) {
  int64_t count = 1;
  for (uint32_t i = 0; i < type->rank; i++) count *= type->dims[i];
  return count;
}

/* Rows along the last dimension. */
static inline int64_t assay_rows(const assay_type_t *type) {
  int64_t count = 1;
  for (uint32_t i = 0; i + 1 < type->rank; i++) count *= type->dims[i];
  return count;
}

/* Whether `axis`, or `dims`, is the last dimension of the first operand, alone. */
static inline int assay_is_along_last(const assay_program_t *program) {
  const int64_t last = (int64_t)program->operands[0].rank - 1;
  int64_t axis;
  assay_dims_t dims;
  if (assay_attribute_integer(program, "axis", &axis)) return axis == last;
  return (assay_attribute_dims(program, "axis", &dims) ||
          assay_attribute_dims(program, "dims", &dims)) &&
         assay_dims_are(&dims, last);
}

/* ---- The executor ABI ------------------------------------------------------------------------ */

/* What open() made; `kernel` is chosen. */
typedef struct assay_kernel_self {
  const assay_kernel_t *kernel;
} assay_kernel_self_t;

/* A copy of a program, in one piece of memory: what compile() made. */
typedef struct assay_kernel_program {
  assay_program_t program;
  char *next; /* Where memory of the piece is left. */
} assay_kernel_program_t;

static inline size_t assay_kernel_padded(size_t bytes) { return (bytes + 15) / 16 * 16; }

static inline size_t assay_kernel_type_bytes(const assay_type_t *type) {
  return assay_kernel_padded(strlen(type->element) + 1) +
         assay_kernel_padded(type->rank * sizeof *type->dims);
}

static inline size_t assay_kernel_program_bytes(const assay_program_t *program) {
  size_t bytes = assay_kernel_padded(sizeof(assay_kernel_program_t)) +
                 assay_kernel_padded(program->operand_count * sizeof(assay_type_t)) +
                 assay_kernel_padded(program->result_count * sizeof(assay_type_t)) +
                 assay_kernel_padded(program->attribute_count * sizeof(assay_attribute_t)) +
                 assay_kernel_padded(strlen(program->op) + 1) +
                 assay_kernel_padded(strlen(program->program_line) + 1);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    bytes += assay_kernel_type_bytes(&program->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    bytes += assay_kernel_type_bytes(&program->results[i]);
  }
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    bytes += assay_kernel_padded(strlen(program->attributes[i].key) + 1) +
             assay_kernel_padded(strlen(program->attributes[i].value) + 1);
  }
  return bytes;
}

static inline void *assay_kernel_put(assay_kernel_program_t *copy, const void *data, size_t bytes) {
  char *place = copy->next;
  if (bytes != 0) memcpy(place, data, bytes);
  copy->next += assay_kernel_padded(bytes);
  return place;
}

static inline const char *assay_kernel_put_text(assay_kernel_program_t *copy, const char *text) {
  return (const char *)assay_kernel_put(copy, text, strlen(text) + 1);
}

static inline const assay_type_t *assay_kernel_put_types(assay_kernel_program_t *copy,
                                                         const assay_type_t *types,
                                                         uint32_t count) {
  assay_type_t *copies = (assay_type_t *)assay_kernel_put(copy, types, count * sizeof *types);
  for (uint32_t i = 0; i < count; i++) {
    copies[i].element = assay_kernel_put_text(copy, types[i].element);
    copies[i].dims = (const int64_t *)assay_kernel_put(copy, types[i].dims,
                                                       types[i].rank * sizeof *types[i].dims);
  }
  return copies;
}

/* NULL if there is no memory; freed with free(). */
static inline assay_kernel_program_t *assay_kernel_copy(const assay_program_t *program) {
  assay_kernel_program_t *copy =
      (assay_kernel_program_t *)malloc(assay_kernel_program_bytes(program));
  if (copy == NULL) return NULL;
  copy->next = (char *)copy + assay_kernel_padded(sizeof *copy);
  copy->program = *program;
  copy->program.struct_size = (uint32_t)sizeof *program;
  copy->program.mlir = NULL;
  copy->program.module = NULL;
  copy->program.op = assay_kernel_put_text(copy, program->op);
  copy->program.program_line = assay_kernel_put_text(copy, program->program_line);
  copy->program.operands = assay_kernel_put_types(copy, program->operands, program->operand_count);
  copy->program.results = assay_kernel_put_types(copy, program->results, program->result_count);
  assay_attribute_t *attributes = (assay_attribute_t *)assay_kernel_put(
      copy, program->attributes, program->attribute_count * sizeof *attributes);
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    attributes[i].key = assay_kernel_put_text(copy, attributes[i].key);
    attributes[i].value = assay_kernel_put_text(copy, attributes[i].value);
  }
  copy->program.attributes = attributes;
  return copy;
}

/* Whether `text` begins with the word, which a comma, a blank, an arrow or the end of the text
 * ends; returns what is behind these commas and blanks, or NULL. */
static inline const char *assay_kernel_after(const char *text, const char *word) {
  size_t length = strlen(word);
  if (strncmp(text, word, length) != 0) return NULL;
  const char *rest = text + length;
  int is_arrow = strcmp(word, "->") == 0;
  int is_ended = *rest == '\0' || *rest == ',' || *rest == ' ' || strncmp(rest, "->", 2) == 0;
  return is_ended || is_arrow ? rest + strspn(rest, ", ") : NULL;
}

/* What is behind the type at the beginning of `types`, or NULL if it is not that one: a quantized
 * one is there as it is or, of any scales, as "quant<i8:f32>" or "quant<i8:f32:axis>". */
static inline const char *assay_kernel_after_type(const char *types, const assay_type_t *type) {
  char word[64];
  assay_quantization_t quantization;
  const char *rest = assay_kernel_after(types, type->element);
  if (rest != NULL || !assay_read_quantization(type, &quantization)) return rest;
  snprintf(word, sizeof word, "quant<%s:%s%s>", quantization.storage, quantization.expressed,
           quantization.axis >= 0 ? ":axis" : "");
  return assay_kernel_after(types, word);
}

static inline int assay_kernel_has_types(const assay_program_t *program, const char *types) {
  for (uint32_t i = 0; i < program->operand_count && types != NULL; i++) {
    types = assay_kernel_after_type(types, &program->operands[i]);
  }
  if (types != NULL) types = assay_kernel_after(types, "->");
  for (uint32_t i = 0; i < program->result_count && types != NULL; i++) {
    types = assay_kernel_after_type(types, &program->results[i]);
  }
  return types != NULL && *types == '\0';
}

/* The first attribute that the kernel does not know, or NULL. */
static inline const char *assay_kernel_strange_key(const assay_program_t *program,
                                                   const char *keys) {
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    const char *key = program->attributes[i].key;
    const char *known = keys;
    while (known != NULL && assay_kernel_after(known, key) == NULL) {
      known = strpbrk(known, ", ");
      if (known != NULL) known += strspn(known, ", ");
    }
    if (known == NULL) return key;
  }
  return NULL;
}

static inline int assay_kernel_has_unknown(const assay_type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t dim = 0; dim < types[i].rank; dim++) {
      if (types[i].dims[dim] < 0) return 1;
    }
  }
  return 0;
}

/* Puts the sizes of a call into the types of a copy, which owns them. */
static inline void assay_kernel_set_sizes(const assay_type_t *types, uint32_t count,
                                          const int64_t *const *sizes) {
  for (uint32_t i = 0; i < count; i++) {
    if (types[i].rank == 0) continue;
    memcpy((void *)(uintptr_t)types[i].dims, sizes[i], types[i].rank * sizeof *types[i].dims);
  }
}

static inline int32_t assay_kernel_open(const assay_kernel_t *kernels, size_t count,
                                        const char *options, void **out_self,
                                        assay_reason_t *reason) {
  size_t chosen = 0;
  while (*options != '\0' && chosen < count && strcmp(kernels[chosen].name, options) != 0) {
    chosen++;
  }
  if (chosen == count) {
    snprintf(reason->text, reason->text_bytes, "no kernel is called '%s' here", options);
    return ASSAY_EXECUTOR_INVALID;
  }
  assay_kernel_self_t *self = (assay_kernel_self_t *)malloc(sizeof *self);
  if (self == NULL) return ASSAY_EXECUTOR_FAILED;
  self->kernel = &kernels[chosen];
  *out_self = self;
  return ASSAY_EXECUTOR_OK;
}

static inline const char *assay_kernel_name(void *self) {
  return ((const assay_kernel_self_t *)self)->kernel->name;
}

static inline const char *assay_kernel_version(void *self) {
  (void)self;
  return "1";
}

static inline const char *assay_kernel_hardware(void *self) {
  (void)self;
  return "any";
}

static inline int32_t assay_kernel_refuse(const assay_kernel_t *kernel, assay_reason_t *reason) {
  snprintf(reason->text, reason->text_bytes, "%s does not take this shape or attribute",
           kernel->name);
  return ASSAY_EXECUTOR_UNSUPPORTED;
}

static inline int32_t assay_kernel_compile(void *self, const assay_program_t *program,
                                           void **out_handle, assay_reason_t *reason) {
  const assay_kernel_t *kernel = ((const assay_kernel_self_t *)self)->kernel;
  if (strcmp(program->op, kernel->op) != 0 || !assay_kernel_has_types(program, kernel->types)) {
    snprintf(reason->text, reason->text_bytes, "%s does %s of %s", kernel->name, kernel->op,
             kernel->types);
    return ASSAY_EXECUTOR_UNSUPPORTED;
  }
  const char *strange = assay_kernel_strange_key(program, kernel->keys);
  if (strange != NULL) {
    snprintf(reason->text, reason->text_bytes, "knows no attribute %s", strange);
    return ASSAY_EXECUTOR_UNSUPPORTED;
  }
  int is_dynamic = assay_kernel_has_unknown(program->operands, program->operand_count) ||
                   assay_kernel_has_unknown(program->results, program->result_count);
  if (!is_dynamic && kernel->takes != NULL && !kernel->takes(program)) {
    return assay_kernel_refuse(kernel, reason);
  }
  *out_handle = assay_kernel_copy(program);
  return *out_handle == NULL ? ASSAY_EXECUTOR_FAILED : ASSAY_EXECUTOR_OK;
}

static inline int32_t assay_kernel_execute(void *self, void *handle, const void *const *operands,
                                           void *const *results, assay_reason_t *reason) {
  (void)reason;
  const assay_kernel_program_t *copy = (const assay_kernel_program_t *)handle;
  ((const assay_kernel_self_t *)self)->kernel->run(&copy->program, operands, results);
  return ASSAY_EXECUTOR_OK;
}

/* Of a program with unknown sizes `takes` is asked when they are known. */
static inline int32_t assay_kernel_execute_sized(void *self, void *handle,
                                                 const assay_sizes_t *sizes,
                                                 const void *const *operands, void *const *results,
                                                 assay_reason_t *reason) {
  const assay_kernel_t *kernel = ((const assay_kernel_self_t *)self)->kernel;
  const assay_program_t *program = &((const assay_kernel_program_t *)handle)->program;
  assay_kernel_set_sizes(program->operands, program->operand_count, sizes->operands);
  assay_kernel_set_sizes(program->results, program->result_count, sizes->results);
  if (kernel->takes != NULL && !kernel->takes(program)) return assay_kernel_refuse(kernel, reason);
  kernel->run(program, operands, results);
  return ASSAY_EXECUTOR_OK;
}

static inline void assay_kernel_release(void *self, void *handle) {
  (void)self;
  free(handle);
}

static inline void assay_kernel_close(void *self) { free(self); }

/* Exports the kernels of an array. */
#define ASSAY_KERNELS(kernels)                                                                  \
  static int32_t assay_kernel_open_one(const char *options, void **out_self,                    \
                                       assay_reason_t *reason) {                                \
    return assay_kernel_open((kernels), sizeof(kernels) / sizeof *(kernels), options, out_self, \
                             reason);                                                           \
  }                                                                                             \
  const assay_executor_t *assay_executor_query(uint32_t abi_max) {                              \
    static const assay_executor_t table = {.abi = ASSAY_EXECUTOR_ABI,                           \
                                           .struct_size = sizeof(assay_executor_t),             \
                                           .open = assay_kernel_open_one,                       \
                                           .name = assay_kernel_name,                           \
                                           .version = assay_kernel_version,                     \
                                           .hardware = assay_kernel_hardware,                   \
                                           .compile = assay_kernel_compile,                     \
                                           .execute = assay_kernel_execute,                     \
                                           .release = assay_kernel_release,                     \
                                           .close = assay_kernel_close,                         \
                                           .execute_sized = assay_kernel_execute_sized};        \
    return abi_max >= ASSAY_EXECUTOR_ABI ? &table : NULL;                                       \
  }

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs in C that plugins write (assay_executor_t.write_c) have in common: a text that
 * grows, operands as arrays of bits, and the line with the results. */
#ifndef ASSAY_EXEC_PLUGINS_PLUGIN_SOURCE_H
#define ASSAY_EXEC_PLUGINS_PLUGIN_SOURCE_H

#include <inttypes.h>

#include "harness/exec/plugins/plugin.h"

/* A program that is being written. */
typedef struct plugin_source {
  FILE *out;
  char *text;
  size_t size;
} plugin_source_t;

/* False without memory. */
static inline bool plugin_source_begin(plugin_source_t *out_source) {
  *out_source = (plugin_source_t){.out = NULL};
  out_source->out = open_memstream(&out_source->text, &out_source->size);
  return out_source->out != NULL;
}

/* Gives the text away if the code is OK. */
static inline int32_t plugin_source_end(plugin_source_t *source, int32_t code, char **out_text,
                                        assay_reason_t *reason) {
  bool is_written = ferror(source->out) == 0;
  is_written &= fclose(source->out) == 0;
  if (code == ASSAY_EXECUTOR_OK && is_written) {
    *out_text = source->text;
    return code;
  }
  free(source->text);
  return code == ASSAY_EXECUTOR_OK ? assay_explain(reason, ASSAY_EXECUTOR_FAILED, "out of memory")
                                   : code;
}

/* "static const uint32_t NAME[] = {0x3f800000, ...};" of numbers of `bytes` bytes, as patterns:
 * decimal digits would leave out what a NaN holds. */
static inline void plugin_source_array(FILE *out, const char *name, const void *data, size_t count,
                                       size_t bytes) {
  enum { LINE_BYTES = 100 };
  fprintf(out, "static const uint%zu_t %s[] = {\n", 8 * bytes, name);
  const size_t in_line = LINE_BYTES / (2 * bytes + 4);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = 0;
    memcpy(&bits, (const char *)data + i * bytes, bytes);
    const char *end = i + 1 == count || (i + 1) % in_line == 0 ? "\n" : " ";
    fprintf(out, "%s0x%0*" PRIx64 ",%s", i % in_line == 0 ? "    " : "", (int)(2 * bytes), bits,
            end);
  }
  fprintf(out, "%s};\n", count == 0 ? "    0\n" : "");
}

/* Prints array `name` of `count` such numbers, within a function. */
static inline void plugin_source_results(FILE *out, const char *name, size_t count, size_t bytes) {
  fprintf(out,
          "  printf(\"results: \");\n"
          "  for (size_t i = 0; i < %zu; i++) {\n"
          "    uint%zu_t bits;\n"
          "    memcpy(&bits, (const char *)%s + i * sizeof bits, sizeof bits);\n"
          "    printf(\"%%0%zu\" PRIx%zu, bits);\n"
          "  }\n"
          "  printf(\"\\n\");\n",
          count, 8 * bytes, name, 2 * bytes, 8 * bytes);
}

#endif

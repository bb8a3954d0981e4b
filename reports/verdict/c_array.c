/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a case as C source: one array per operand and result, small ones with a comment per
 * element that gives its place, value and what was expected. */
#include "reports/verdict/c_array.h"

#include <inttypes.h>
#include <string.h>

#include "harness/judge/judge.h"

enum {
  ANNOTATED_MAX = 64, /* Components of a tensor that get a line and a comment each. */
  PER_LINE = 8,
};

/* Text inside a comment, which it must not end. */
static void append_comment(const char *text, GString *out_text) {
  for (const char *at = text; *at != '\0'; at++) {
    g_string_append_c(out_text, *at);
    if (at[0] == '*' && at[1] == '/') g_string_append_c(out_text, ' ');
  }
}

/* Lines of a comment, each begun as comments are. */
static void append_comment_lines(const char *text, GString *out_text) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    if (**line == '\0') continue;
    g_string_append(out_text, " * ");
    append_comment(*line, out_text);
    g_string_append_c(out_text, '\n');
  }
}

/* "[1,0]", and for complex elements which part. */
static void append_place(const type_t *type, size_t component, GString *out_text) {
  size_t index = component / type->element->components;
  int64_t indices[TYPE_RANK_MAX];
  for (uint32_t dim = type->rank; dim-- > 0;) {
    indices[dim] = (int64_t)(index % (size_t)type->dims[dim]);
    index /= (size_t)type->dims[dim];
  }
  g_string_append_c(out_text, '[');
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    g_string_append_printf(out_text, "%s%" PRId64, dim == 0 ? "" : ",", indices[dim]);
  }
  g_string_append_c(out_text, ']');
  if (type->element->components == 2) {
    g_string_append(out_text, component % 2 == 0 ? " real part" : " imaginary part");
  }
}

static void append_bits(const tensor_t *tensor, size_t component, GString *out_text) {
  const element_t *element = tensor->type.element;
  g_string_append_printf(out_text, "0x%0*" PRIx64, 2 * element->component_bytes,
                         element_load(element, tensor->data, component));
}

static void append_annotated(const tensor_t *tensor, char *const *expected, GString *out_text) {
  const element_t *element = tensor->type.element;
  for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
    g_string_append(out_text, "    ");
    append_bits(tensor, i, out_text);
    g_string_append(out_text, ", /* ");
    append_place(&tensor->type, i, out_text);
    char value[64];
    judge_print_component(element, element_load(element, tensor->data, i), value, sizeof value);
    g_string_append_c(out_text, ' ');
    append_comment(value, out_text);
    if (expected != NULL && expected[i] != NULL) {
      g_string_append(out_text, ", wrong: expected ");
      append_comment(expected[i], out_text);
    }
    g_string_append(out_text, " */\n");
  }
}

static void append_rows(const tensor_t *tensor, GString *out_text) {
  size_t count = type_component_count(&tensor->type);
  for (size_t i = 0; i < count; i++) {
    g_string_append(out_text, i % PER_LINE == 0 ? "    " : " ");
    append_bits(tensor, i, out_text);
    g_string_append(out_text, ",");
    if (i % PER_LINE == PER_LINE - 1 || i + 1 == count) g_string_append_c(out_text, '\n');
  }
}

/* C has no empty arrays: without elements there is one entry that nothing stands for. */
static void append_array(const tensor_t *tensor, const char *name, uint32_t number,
                         char *const *expected, GString *out_text) {
  size_t count = type_component_count(&tensor->type);
  g_string_append_printf(out_text, "const uint%d_t %s_%" PRIu32 "[%zu] = {\n",
                         8 * tensor->type.element->component_bytes, name, number, MAX(count, 1));
  if (count == 0) {
    g_string_append(out_text, "    0, /* There are no elements, and C has no empty arrays. */\n");
  } else if (count <= ANNOTATED_MAX) {
    append_annotated(tensor, expected, out_text);
  } else {
    append_rows(tensor, out_text);
  }
  g_string_append(out_text, "};\n");
}

static void append_type(const char *what, uint32_t number, const type_t *type, const char *rest,
                        GString *out_text) {
  g_string_append_printf(out_text, "\n/* %s %" PRIu32 ": ", what, number);
  type_print(type, out_text);
  g_string_append_printf(out_text, "%s */\n", rest);
}

void c_array_print(const case_t *instance, const char *notes, const c_result_t *results,
                   GString *out_text) {
  const program_t *program = &instance->program;
  GString *line = g_string_new(NULL);
  program_print(program, line);
  g_string_append(out_text, "/* ");
  append_comment(line->str, out_text);
  g_string_append(out_text, "\n");
  append_comment_lines(notes, out_text);
  g_string_append(out_text,
                  " *\n * Arrays hold the bits of elements in row-major order, as case lines have "
                  "them: complex\n * elements have two entries. */\n#include <stdint.h>\n");
  for (uint32_t i = 0; i < program->operand_count; i++) {
    append_type("Operand", i, &program->operands[i], "", out_text);
    append_array(&instance->operands[i], "operand", i, NULL, out_text);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    bool is_known = results != NULL && results[i].got != NULL;
    append_type("Result", i, &program->results[i], is_known ? ", as it was got" : "", out_text);
    if (is_known) append_array(results[i].got, "got", i, results[i].expected, out_text);
  }
  g_string_free(line, TRUE);
}

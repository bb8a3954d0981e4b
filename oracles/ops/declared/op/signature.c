/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lines of a declared op's signature: its name, types, attributes, operands and results.
 */
#include <inttypes.h>
#include <math.h>

#include "oracles/ops/declared/op/reader.h"

enum { FIXED_MAX = 1024 };

const char *const declared_types[] = {"f16", "bf16", "f32", "f64", NULL};

/* A name that nothing has yet. */
static status_t read_new_name(reader_t *reader, const char *what, const char **out_name) {
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  str_t word = reader_word(reader);
  if (!reader_is_name(word)) {
    return reader_fail(reader, at, "expected the name of %s, which begins with a small letter",
                       what);
  }
  const declaration_t *declaration = reader->declaration;
  bool is_known = false;
  for (uint32_t i = 0; i < declaration->attribute_count; i++) {
    is_known |= str_equal_text(word, declaration->attributes[i].name);
  }
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    is_known |= str_equal_text(word, declaration->operands[i].name);
  }
  for (uint32_t i = 0; i < declaration->result_count; i++) {
    is_known |= str_equal_text(word, declaration->results[i].name);
  }
  if (is_known) {
    return reader_fail(reader, at, "\"%.*s\" has been declared already; choose another name",
                       STR_FORMAT(word));
  }
  *out_name = reader_keep(reader, word);
  return STATUS_OK;
}

/* Of ops that Assay knows, and so does whoever runs them: workers tell a declared op by its prefix
 * (harness/exec/workers/assay_worker.py), databases a step of a graph. */
static const char *const own_prefixes[] = {"stablehlo.", "byteir.", "tf.", "quant."};

/* ---- Signature ------------------------------------------------------------------------------- */

status_t reader_op(reader_t *reader) {
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  str_t name = scan_until(&reader->scan, " ");
  bool is_good = name.size > 2 && name.size <= 60 && g_ascii_isalpha(name.data[0]);
  size_t dots = 0;
  for (size_t i = 0; i < name.size; i++) {
    dots += name.data[i] == '.';
    is_good = is_good && (g_ascii_isalnum(name.data[i]) || strchr("._", name.data[i]) != NULL);
  }
  if (!is_good || dots == 0 || name.data[name.size - 1] == '.') {
    return reader_fail(reader, at,
                       "an op is called PREFIX.NAME, of letters, digits and '_': \"op nn.silu\"");
  }
  if (op_has_folder(name)) {
    return reader_fail(reader, at, "there is an op %.*s already; choose another name",
                       STR_FORMAT(name));
  }
  for (size_t i = 0; i < G_N_ELEMENTS(own_prefixes); i++) {
    size_t size = strlen(own_prefixes[i]);
    if (name.size < size || memcmp(name.data, own_prefixes[i], size) != 0) continue;
    return reader_fail(reader, at, "ops with prefix \"%s\" are not declared; choose another",
                       own_prefixes[i]);
  }
  reader->declaration->op.name = reader_keep(reader, name);
  return reader_expect_end(reader);
}

status_t reader_summary(reader_t *reader) {
  reader_skip_blanks(reader);
  str_t text = {reader->scan.cursor, (size_t)(reader->scan.end - reader->scan.cursor)};
  if (text.size == 0) return reader_fail_expecting(reader, "what the op computes, in a few words");
  reader->declaration->op.summary = reader_keep(reader, text);
  return STATUS_OK;
}

status_t reader_types(reader_t *reader) {
  reader->declaration->types = 0;
  do {
    reader_skip_blanks(reader);
    const char *at = reader->scan.cursor;
    str_t word = reader_word(reader);
    uint32_t type = 0;
    while (declared_types[type] != NULL && !str_equal_text(word, declared_types[type])) type++;
    if (declared_types[type] == NULL) {
      return reader_fail(reader, at, "expected some of f16, bf16, f32, f64");
    }
    reader->declaration->types |= 1U << type;
    reader_skip_blanks(reader);
  } while (!scan_at_end(&reader->scan));
  return STATUS_OK;
}

static status_t read_values(reader_t *reader, declared_attribute_t *attribute) {
  do {
    reader_skip_blanks(reader);
    const char *at = reader->scan.cursor;
    str_t word = scan_until(&reader->scan, " ");
    g_autofree char *text = g_strndup(word.data, word.size);
    char *end = NULL;
    double value = g_ascii_strtod(text, &end);
    bool is_number =
        g_ascii_isdigit(text[0]) && *end == '\0' && strpbrk(text, "xX") == NULL && isfinite(value);
    if (!is_number) {
      return reader_fail(reader, at,
                         "expected numbers that are 0 or positive, among which cases are drawn: "
                         "\"attribute epsilon number 1e-5 0\"");
    }
    if (attribute->count == DECLARED_VALUES_MAX) {
      return reader_fail(reader, at, "an attribute has at most %d values to draw from",
                         (int)DECLARED_VALUES_MAX);
    }
    attribute->values[attribute->count++] = value;
    reader_skip_blanks(reader);
  } while (!scan_at_end(&reader->scan));
  return STATUS_OK;
}

static status_t read_integers(reader_t *reader, declared_attribute_t *attribute) {
  do {
    reader_skip_blanks(reader);
    const char *at = reader->scan.cursor;
    if (attribute->count == DECLARED_VALUES_MAX) {
      return reader_fail(reader, at, "an attribute has at most %d values to draw from",
                         (int)DECLARED_VALUES_MAX);
    }
    int64_t *value = &attribute->integers[attribute->count++];
    bool is_integer = scan_integer(&reader->scan, value, NULL) == STATUS_OK;
    char next = scan_peek(&reader->scan);
    if (!is_integer || (next != ' ' && !scan_at_end(&reader->scan))) {
      return reader_fail(
          reader, at,
          "expected integers of i64, among which cases are drawn: \"attribute window "
          "integer 1 4 -1\"");
    }
    reader_skip_blanks(reader);
  } while (!scan_at_end(&reader->scan));
  return STATUS_OK;
}

status_t reader_attribute(reader_t *reader) {
  declaration_t *declaration = reader->declaration;
  if (declaration->attribute_count == DECLARED_ATTRIBUTES_MAX) {
    return reader_fail(reader, reader->scan.begin, "an op has at most %d attributes",
                       (int)DECLARED_ATTRIBUTES_MAX);
  }
  declared_attribute_t attribute = {0};
  STATUS_TRY(read_new_name(reader, "an attribute", &attribute.name));
  if (reader_accept(reader, "position")) {
    attribute.kind = ATTRIBUTE_POSITION;
    STATUS_TRY(reader_expect_end(reader));
  } else if (reader_accept(reader, "number ")) {
    STATUS_TRY(read_values(reader, &attribute));
  } else if (reader_accept(reader, "integer ")) {
    attribute.kind = ATTRIBUTE_INTEGER;
    STATUS_TRY(read_integers(reader, &attribute));
  } else if (reader_accept(reader, "boolean")) {
    attribute.kind = ATTRIBUTE_BOOLEAN;
    attribute.count = 2;
    attribute.integers[1] = 1;
    STATUS_TRY(reader_expect_end(reader));
  } else {
    return reader_fail_expecting(
        reader, "\"number VALUE ...\", \"integer VALUE ...\", \"boolean\" or \"position\"");
  }
  declaration->attributes[declaration->attribute_count++] = attribute;
  return STATUS_OK;
}

static status_t add_index(reader_t *reader, const char *at, declared_index_t index) {
  declaration_t *declaration = reader->declaration;
  if (declaration->index_count == DECLARED_INDICES_MAX) {
    return reader_fail(reader, at, "an op has at most %d indices", (int)DECLARED_INDICES_MAX);
  }
  index.line = reader->line;
  declaration->indices[declaration->index_count++] = index;
  return STATUS_OK;
}

status_t reader_index(reader_t *reader) {
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  str_t word = reader_word(reader);
  if (!reader_is_index(word) || reader_find_index(reader, word) >= 0) {
    return reader_fail(reader, at, "expected a new index, which begins with a capital letter");
  }
  declared_index_t index = {.name = reader_keep(reader, word)};
  STATUS_TRY(reader_expect(reader, "="));
  reader_skip_blanks(reader);
  const char *size_at = reader->scan.cursor;
  bool is_size = scan_integer(&reader->scan, &index.fixed, NULL) == STATUS_OK;
  if (!is_size || index.fixed < 1 || index.fixed > FIXED_MAX) {
    return reader_fail(reader, size_at, "expected a size from 1 to %d", (int)FIXED_MAX);
  }
  STATUS_TRY(add_index(reader, at, index));
  return reader_expect_end(reader);
}

status_t reader_type_word(reader_t *reader, const element_t **out_element) {
  static const char *const names[] = {"i1",   "i8",   "i16", "i32", "i64",  "ui8", "ui16",
                                      "ui32", "ui64", "f16", "f32", "bf16", "f64"};
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  str_t word = reader_word(reader);
  *out_element = NULL;
  if (str_equal_text(word, "float")) return STATUS_OK;
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (!str_equal_text(word, names[i])) continue;
    *out_element = element_named(names[i]);
    return STATUS_OK;
  }
  return reader_fail(reader, at,
                     "expected a type, one of i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, "
                     "bf16, f32, f64, or float for that of the program");
}

/* "N", "P*H", "B...", or "N@axis". */
static status_t read_dimension(reader_t *reader, declared_tensor_t *tensor) {
  declared_dimension_t dimension = {.position = -1};
  uint32_t free_count = 0;
  do {
    reader_skip_blanks(reader);
    const char *at = reader->scan.cursor;
    str_t word = reader_word(reader);
    if (!reader_is_index(word)) {
      reader->scan.cursor = at;
      return reader_fail_expecting(reader, "an index, which begins with a capital letter");
    }
    bool is_group = reader_accept(reader, "...");
    int index = reader_find_index(reader, word);
    if (index < 0) {
      index = (int)reader->declaration->index_count;
      declared_index_t added = {.name = reader_keep(reader, word), .is_group = is_group};
      STATUS_TRY(add_index(reader, at, added));
    }
    const declared_index_t *known = &reader->declaration->indices[index];
    if (known->is_group != is_group) {
      return reader_fail(reader, at, "%s stands %s \"...\" elsewhere; write it so here too",
                         known->name, known->is_group ? "with" : "without");
    }
    if ((tensor->mask >> index & 1) != 0) {
      return reader_fail(reader, at, "%s stands here twice", known->name);
    }
    free_count += known->fixed == 0;
    if (dimension.count == DECLARED_FACTORS_MAX || free_count > 1 ||
        (is_group && dimension.count > 0)) {
      return reader_fail(reader, at,
                         "a dimension joins indices of fixed size and one other: \"P*H\" with "
                         "\"index P = 2\"");
    }
    dimension.indices[dimension.count++] = (uint8_t)index;
    tensor->mask |= 1U << index;
    if (is_group) break;
  } while (reader_accept(reader, "*"));
  if (reader_accept(reader, "@")) {
    const char *at = reader->scan.cursor;
    str_t word = reader_word(reader);
    for (uint32_t i = 0; i < reader->declaration->attribute_count; i++) {
      bool is_position = reader->declaration->attributes[i].kind == ATTRIBUTE_POSITION;
      if (is_position && str_equal_text(word, reader->declaration->attributes[i].name)) {
        dimension.position = (int8_t)i;
      }
    }
    if (dimension.position < 0) {
      return reader_fail(reader, at,
                         "expected an attribute that is a position: \"attribute axis position\"");
    }
  }
  tensor->dimensions[tensor->count++] = dimension;
  return STATUS_OK;
}

/* Which dimensions are meant must follow from the number of them, and from positions. */
static status_t check_groups(const reader_t *reader, const char *at,
                             const declared_tensor_t *tensor) {
  uint32_t groups[2] = {0}, positions = 0;
  for (uint32_t i = 0; i < tensor->count; i++) {
    positions += tensor->dimensions[i].position >= 0;
    uint8_t index = tensor->dimensions[i].indices[0];
    groups[positions > 0] += reader->declaration->indices[index].is_group;
  }
  if (positions > 1) return reader_fail(reader, at, "one dimension has a position, not more");
  if (groups[0] > 1 || groups[1] > 1 || (positions == 0 && groups[0] + groups[1] > 1)) {
    return reader_fail(reader, at,
                       "of two groups \"...\" the sizes are not known; put a dimension with a "
                       "position between them: \"[B..., N@axis, A...]\"");
  }
  return STATUS_OK;
}

/* "below V": an index that a tensor above has, or one further down. */
static status_t read_bound(reader_t *reader, declared_tensor_t *tensor) {
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  const str_t word = reader_word(reader);
  int index = reader_find_index(reader, word);
  if (index < 0 && reader_is_index(word)) {
    index = (int)reader->declaration->index_count;
    STATUS_TRY(add_index(reader, at, (declared_index_t){.name = reader_keep(reader, word)}));
  }
  if (index < 0 || reader->declaration->indices[index].is_group) {
    return reader_fail(reader, at,
                       "expected an index, no group, below whose size the integers are: \"operand "
                       "ids[S] i32 below V\"");
  }
  if (tensor->element == NULL || !element_is_integer(tensor->element)) {
    return reader_fail(reader, at, "integers are below the size of an index: give it such a type");
  }
  tensor->below = (int8_t)index;
  return STATUS_OK;
}

status_t reader_tensor(reader_t *reader, const char *what, uint32_t count_max,
                       uint32_t *inout_count, declared_tensor_t *tensors) {
  if (*inout_count == count_max) {
    return reader_fail(reader, reader->scan.begin, "an op has at most %" PRIu32 " of them",
                       count_max);
  }
  declared_tensor_t tensor = {.line = reader->line, .below = -1, .gathers = -1, .channel = -1};
  STATUS_TRY(read_new_name(reader, what, &tensor.name));
  STATUS_TRY(reader_expect(reader, "["));
  const char *at = reader->scan.cursor;
  if (!reader_accept(reader, "]")) {
    do {
      if (tensor.count == TYPE_RANK_MAX) {
        return reader_fail(reader, reader->scan.cursor, "at most %d dimensions",
                           (int)TYPE_RANK_MAX);
      }
      STATUS_TRY(read_dimension(reader, &tensor));
    } while (reader_accept(reader, ","));
    STATUS_TRY(reader_expect(reader, "]"));
  }
  STATUS_TRY(check_groups(reader, at, &tensor));
  reader_skip_blanks(reader);
  if (reader_accept(reader, "quantized")) {
    STATUS_TRY(reader_quantization(reader, &tensor));
  } else if (!scan_at_end(&reader->scan)) {
    const char *type_at = reader->scan.cursor;
    STATUS_TRY(reader_type_word(reader, &tensor.element));
    bool is_other_float = tensor.element != NULL && tensor.element->format != NULL &&
                          tensor.element != element_named("f32");
    if (tensor.element == NULL || is_other_float) {
      return reader_fail(reader, type_at,
                         "floats have the type that a program chooses (\"types\"), or f32; leave "
                         "the type out");
    }
    if (reader_accept(reader, "below ")) STATUS_TRY(read_bound(reader, &tensor));
  }
  tensors[(*inout_count)++] = tensor;
  return reader_expect_end(reader);
}

status_t reader_formulas(reader_t *reader) {
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  str_t word = reader_word(reader);
  g_autofree char *name = g_strndup(word.data, word.size);
  for (size_t i = 0; i < contract_permission_count(); i++) {
    if (strcmp(contract_permission_name(i), name) != 0) continue;
    reader->declaration->op.formulas = contract_permission_name(i);
    return reader_expect_end(reader);
  }
  return reader_fail(reader, at,
                     "no permission \"%s\" (`assay help contracts` lists them); its values name "
                     "the formulas",
                     name);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Splits "PATH?key=value,..." and gives every value its type. */
#include "harness/exec/pjrt/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum value_type {
  VALUE_GUESS, /* By how it looks. */
  VALUE_TEXT,
  VALUE_INTEGER,
  VALUE_FLOAT,
  VALUE_BOOL,
  VALUE_INTEGERS,
} value_type_t;

/* A value that was read. */
typedef struct value {
  value_type_t type;
  int64_t integer;
  double number;
  bool truth;
  GArray *integers; /* int64_t; owned by the options. */
} value_t;

static const struct {
  const char *name;
  value_type_t type;
} type_names[] = {{"string", VALUE_TEXT},
                  {"int", VALUE_INTEGER},
                  {"float", VALUE_FLOAT},
                  {"bool", VALUE_BOOL},
                  {"ints", VALUE_INTEGERS}};

static bool read_integer(const char *text, int64_t *out_integer) {
  char *end = NULL;
  errno = 0;
  *out_integer = g_ascii_strtoll(text, &end, 10);
  return errno == 0 && end != text && *end == '\0' && !g_ascii_isspace(text[0]);
}

static bool read_number(const char *text, double *out_number) {
  char *end = NULL;
  *out_number = g_ascii_strtod(text, &end);
  bool looks_so = g_ascii_isdigit(text[0]) || strchr("+-.", text[0]) != NULL;
  return looks_so && end != text && *end == '\0';
}

static bool read_bool(const char *text, bool *out_truth) {
  *out_truth = strcmp(text, "true") == 0;
  return *out_truth || strcmp(text, "false") == 0;
}

/* "[0,1]" */
static bool read_integers(const char *text, pjrt_options_t *options, GArray **out_integers) {
  size_t size = strlen(text);
  if (size < 2 || text[0] != '[' || text[size - 1] != ']') return false;
  g_autofree char *inside = g_strndup(text + 1, size - 2);
  g_auto(GStrv) words = g_strsplit(inside, ",", -1);
  GArray *integers = g_array_new(FALSE, TRUE, sizeof(int64_t));
  g_ptr_array_add(options->lists, integers);
  for (char **word = words; *word != NULL; word++) {
    int64_t integer;
    if (!read_integer(g_strstrip(*word), &integer)) return false;
    g_array_append_val(integers, integer);
  }
  *out_integers = integers;
  return true;
}

/* Of the type that was asked for, or the first that fits. */
static bool read_value(const char *text, value_type_t asked, pjrt_options_t *options,
                       value_t *out_value) {
  bool guesses = asked == VALUE_GUESS;
  value_t value = {.type = VALUE_TEXT};
  if ((guesses || asked == VALUE_BOOL) && read_bool(text, &value.truth)) {
    value.type = VALUE_BOOL;
  } else if ((guesses || asked == VALUE_INTEGER) && read_integer(text, &value.integer)) {
    value.type = VALUE_INTEGER;
  } else if ((guesses || asked == VALUE_FLOAT) && read_number(text, &value.number)) {
    value.type = VALUE_FLOAT;
  } else if ((guesses || asked == VALUE_INTEGERS) &&
             read_integers(text, options, &value.integers)) {
    value.type = VALUE_INTEGERS;
  }
  *out_value = value;
  return guesses || value.type == asked;
}

static void add_create_option(pjrt_options_t *options, const char *key, const char *text,
                              const value_t *value) {
  PJRT_NamedValue named = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                           .name = key,
                           .name_size = strlen(key),
                           .value_size = 1};
  switch (value->type) {
    case VALUE_BOOL:
      named.type = PJRT_NamedValue_kBool;
      named.bool_value = value->truth;
      break;
    case VALUE_INTEGER:
      named.type = PJRT_NamedValue_kInt64;
      named.int64_value = value->integer;
      break;
    case VALUE_FLOAT:
      named.type = PJRT_NamedValue_kFloat;
      named.float_value = (float)value->number;
      break;
    case VALUE_INTEGERS:
      named.type = PJRT_NamedValue_kInt64List;
      named.int64_array_value = (const int64_t *)(const void *)value->integers->data;
      named.value_size = value->integers->len;
      break;
    case VALUE_GUESS:
    case VALUE_TEXT:
    default:
      named.type = PJRT_NamedValue_kString;
      named.string_value = text;
      named.value_size = strlen(text);
      break;
  }
  g_array_append_val(options->create, named);
}

static bool add_override(pjrt_options_t *options, const char *key, const char *text,
                         const value_t *value) {
  pjrt_override_t override = {.key = key, .text = text};
  switch (value->type) {
    case VALUE_BOOL:
      override.kind = PJRT_OVERRIDE_BOOL;
      override.truth = value->truth;
      break;
    case VALUE_INTEGER:
      override.kind = PJRT_OVERRIDE_INTEGER;
      override.integer = value->integer;
      break;
    case VALUE_FLOAT:
      override.kind = PJRT_OVERRIDE_FLOAT;
      override.number = value->number;
      break;
    case VALUE_INTEGERS:
      return false;
    case VALUE_GUESS:
    case VALUE_TEXT:
    default:
      override.kind = PJRT_OVERRIDE_TEXT;
      break;
  }
  g_array_append_val(options->overrides, override);
  return true;
}

static int32_t refuse(assay_reason_t *reason, const char *option, const char *why) {
  snprintf(reason->text, reason->text_bytes, "\"%s\" is no option: %s", option, why);
  return ASSAY_EXECUTOR_INVALID;
}

/* Takes "key:type" apart; false for a type that there is not. */
static bool find_type(char *key, value_type_t *out_type) {
  char *colon = strchr(key, ':');
  *out_type = VALUE_GUESS;
  if (colon == NULL) return true;
  *colon = '\0';
  for (size_t i = 0; i < G_N_ELEMENTS(type_names); i++) {
    if (strcmp(type_names[i].name, colon + 1) == 0) *out_type = type_names[i].type;
  }
  return *out_type != VALUE_GUESS;
}

static int32_t take_option(pjrt_options_t *options, const char *option, assay_reason_t *reason) {
  const char *equals = strchr(option, '=');
  if (equals == NULL || equals == option) {
    return refuse(reason, option, "write PATH?key=value,key=value");
  }
  char *key = g_string_chunk_insert_len(options->texts, option, equals - option);
  const char *text = g_string_chunk_insert(options->texts, equals + 1);
  value_type_t type;
  value_t value;
  if (!find_type(key, &type)) {
    return refuse(reason, option, "a type is string, int, float, bool or ints");
  }
  if (!read_value(text, type, options, &value)) {
    return refuse(reason, option, "the value is not of that type");
  }
  if (strcmp(key, "device") == 0) {
    bool is_place = value.type == VALUE_INTEGER && value.integer >= 0 && value.integer < 65536;
    if (!is_place) return refuse(reason, option, "device=N is the place of a device, from 0");
    options->device = (uint32_t)value.integer;
  } else if (!g_str_has_prefix(key, "xla_")) {
    add_create_option(options, key, text, &value);
  } else if (!add_override(options, key, text, &value)) {
    return refuse(reason, option, "a debug option of XLA's is no list");
  }
  return ASSAY_EXECUTOR_OK;
}

/* Where the option at `text` ends: commas in brackets are part of it. */
static size_t option_size(const char *text) {
  size_t size = 0;
  int depth = 0;
  for (; text[size] != '\0' && (text[size] != ',' || depth > 0); size++) {
    depth += (text[size] == '[') - (text[size] == ']');
  }
  return size;
}

int32_t pjrt_options_parse(const char *text, pjrt_options_t *out_options, assay_reason_t *reason) {
  size_t path_size = strcspn(text, "?");
  const char *rest = text[path_size] == '?' ? text + path_size + 1 : "";
  pjrt_options_t options = {.path = g_strndup(text, path_size),
                            .text = g_strdup(rest),
                            .create = g_array_new(FALSE, TRUE, sizeof(PJRT_NamedValue)),
                            .overrides = g_array_new(FALSE, TRUE, sizeof(pjrt_override_t)),
                            .texts = g_string_chunk_new(256),
                            .lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref)};
  int32_t code = ASSAY_EXECUTOR_OK;
  while (*rest != '\0' && code == ASSAY_EXECUTOR_OK) {
    size_t size = option_size(rest);
    g_autofree char *option = g_strndup(rest, size);
    code = take_option(&options, option, reason);
    rest += size + (rest[size] == ',');
  }
  if (code == ASSAY_EXECUTOR_OK) {
    *out_options = options;
  } else {
    pjrt_options_free(&options);
  }
  return code;
}

void pjrt_options_free(pjrt_options_t *options) {
  g_free(options->path);
  g_free(options->text);
  g_array_unref(options->create);
  g_array_unref(options->overrides);
  g_string_chunk_free(options->texts);
  g_ptr_array_unref(options->lists);
}

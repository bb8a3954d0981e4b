/* SPDX-License-Identifier: Apache-2.0 */
/* Parses greetings, answers and hexadecimal results of worker processes from a buffer that may be
 * incomplete or hostile; never reads beyond a line limit. */
#include "harness/exec/process/answer.h"

#include <stdio.h>

#include "harness/base/plain_text.h"

/* What shows nowhere else: lines that text mode ends, or a blank behind the last word. */
static const char *unseen_end(str_t line) {
  char last = line.size == 0 ? '\0' : line.data[line.size - 1];
  if (last == '\r') return ", and a carriage return,";
  return g_ascii_isspace(last) ? ", and a blank," : "";
}

/* "this is not an answer" in words, with the line as far as it fits. */
static answer_state_t garbage(str_t line, const char *expected, failure_t *error) {
  enum { SHOWN_MAX = 60 };
  char shown[SHOWN_MAX + 1];
  plain_text_copy(shown, sizeof shown, line.data, MIN(line.size, (size_t)SHOWN_MAX));
  status_fail(error, STATUS_INVALID, "wrote \"%s%s\"%s where %s is expected", shown,
              line.size > SHOWN_MAX ? "..." : "", unseen_end(line), expected);
  return ANSWER_MALFORMED;
}

/* Takes the next line without its newline from the front of `bytes`. */
static answer_state_t take_line(str_t *bytes, size_t line_bytes_max, str_t *out_line,
                                failure_t *error) {
  size_t searched = MIN(bytes->size, line_bytes_max);
  const char *end = searched == 0 ? NULL : memchr(bytes->data, '\n', searched);
  if (end == NULL) {
    if (bytes->size < line_bytes_max) return ANSWER_INCOMPLETE;
    status_fail(error, STATUS_INVALID, "wrote a line of more than %zu bytes", line_bytes_max);
    return ANSWER_MALFORMED;
  }
  *out_line = (str_t){.data = bytes->data, .size = (size_t)(end - bytes->data)};
  bytes->data = end + 1;
  bytes->size -= out_line->size + 1;
  return ANSWER_COMPLETE;
}

/* Splits a line after its first word. */
static str_t take_word(str_t *line) {
  const char *blank = line->size == 0 ? NULL : memchr(line->data, ' ', line->size);
  str_t word = {.data = line->data, .size = line->size};
  if (blank != NULL) word.size = (size_t)(blank - line->data);
  size_t taken = word.size + (blank != NULL);
  line->data += taken;
  line->size -= taken;
  return word;
}

static void keep_text(str_t text, char out_text[GREETING_TEXT_BYTES]) {
  plain_text_copy(out_text, GREETING_TEXT_BYTES, text.data, text.size);
}

static bool read_choice(str_t value, const char *yes, const char *no, bool *out_choice) {
  *out_choice = str_equal_text(value, yes);
  return *out_choice || str_equal_text(value, no);
}

/* Takes one line after the first; false if it is none of a greeting. */
static bool read_greeting_line(str_t line, greeting_t *greeting, bool *out_is_last) {
  str_t value = line;
  str_t key = take_word(&value);
  if (str_equal_text(key, "failed") && value.size != 0) {
    greeting->failure = value;
    *out_is_last = true;
    return true;
  }
  if (str_equal_text(line, "ready")) {
    *out_is_last = true;
    return greeting->name[0] != '\0' && greeting->version[0] != '\0';
  }
  if (str_equal_text(key, "name")) {
    keep_text(value, greeting->name);
  } else if (str_equal_text(key, "version")) {
    keep_text(value, greeting->version);
  } else if (str_equal_text(key, "hardware")) {
    keep_text(value, greeting->hardware);
  } else if (str_equal_text(key, "data")) {
    return read_choice(value, "hex", "binary", &greeting->is_hex);
  } else if (str_equal_text(key, "mlir")) {
    return read_choice(value, "yes", "no", &greeting->takes_mlir);
  } else if (str_equal_text(key, "promises")) {
    return read_choice(value, "yes", "no", &greeting->declares_promises);
  } else if (str_equal_text(key, "validates")) {
    return read_choice(value, "yes", "no", &greeting->validates);
  } else if (str_equal_text(key, "compiling")) {
    return read_choice(value, "dear", "cheap", &greeting->compiling_is_dear);
  } else if (str_equal_text(key, "modules")) {
    return read_choice(value, "yes", "no", &greeting->takes_modules);
  } else if (str_equal_text(key, "dynamic")) {
    greeting->wants_sized_modules = str_equal_text(value, "modules");
    if (greeting->wants_sized_modules) value = str_from("yes");
    return read_choice(value, "yes", "no", &greeting->takes_dynamic);
  } else if (str_equal_text(key, "scripts")) {
    return read_choice(value, "yes", "no", &greeting->writes_scripts);
  } else {
    return false;
  }
  return true;
}

/* A worker of another version of the protocol is told apart from what is no worker at all. */
static answer_state_t refuse_greeting(str_t line, failure_t *error) {
  static const char name[] = "assay-worker ";
  const size_t size = sizeof name - 1;
  bool has_name = line.size > size && memcmp(line.data, name, size) == 0;
  size_t digits = 0;
  while (has_name && size + digits < line.size && g_ascii_isdigit(line.data[size + digits])) {
    digits++;
  }
  bool is_version = digits > 0 && digits <= 9 && size + digits == line.size;
  if (!is_version) return garbage(line, "the greeting \"assay-worker 1\"", error);
  status_fail(error, STATUS_INVALID,
              "speaks version %.*s of the worker protocol, where this Assay reads version 1",
              (int)digits, line.data + size);
  return ANSWER_MALFORMED;
}

answer_state_t greeting_read(str_t bytes, greeting_t *out_greeting, size_t *out_used,
                             failure_t *error) {
  greeting_t greeting = {.takes_mlir = true};
  str_t left = bytes;
  str_t line;
  answer_state_t state = take_line(&left, ANSWER_LINE_BYTES_MAX, &line, error);
  if (state != ANSWER_COMPLETE) return state;
  if (!str_equal_text(line, "assay-worker 1")) return refuse_greeting(line, error);
  for (bool is_last = false; !is_last;) {
    if (bytes.size - left.size > GREETING_BYTES_MAX) {
      return garbage(line, "the end of the greeting", error);
    }
    state = take_line(&left, ANSWER_LINE_BYTES_MAX, &line, error);
    if (state != ANSWER_COMPLETE) return state;
    if (!read_greeting_line(line, &greeting, &is_last)) {
      return garbage(line, "a line of the greeting (name and version first, then ready)", error);
    }
  }
  *out_greeting = greeting;
  *out_used = bytes.size - left.size;
  return ANSWER_COMPLETE;
}

answer_state_t answer_read(str_t bytes, size_t line_bytes_max, answer_t *out_answer,
                           size_t *out_used, failure_t *error) {
  static const char *const words[] = {
      [ANSWER_OK] = "ok",           [ANSWER_UNSUPPORTED] = "unsupported",
      [ANSWER_INVALID] = "invalid", [ANSWER_FAILED] = "failed",
      [ANSWER_YES] = "yes",         [ANSWER_NO] = "no",
  };
  str_t left = bytes;
  str_t line;
  answer_state_t state = take_line(&left, line_bytes_max, &line, error);
  if (state != ANSWER_COMPLETE) return state;
  str_t rest = line;
  str_t word = take_word(&rest);
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    if (!str_equal_text(word, words[i])) continue;
    *out_answer = (answer_t){.word = (answer_word_t)i, .rest = rest};
    *out_used = bytes.size - left.size;
    return ANSWER_COMPLETE;
  }
  return garbage(line, "an answer", error);
}

status_t answer_check_bytes(const answer_t *answer, size_t expected, failure_t *error) {
  scan_t scan = scan_make(answer->rest);
  int64_t bytes;
  if (scan_integer(&scan, &bytes, NULL) != STATUS_OK || !scan_at_end(&scan)) {
    garbage(answer->rest, "the number of bytes of the results", error);
    return STATUS_INVALID;
  }
  if (bytes >= 0 && (uint64_t)bytes == expected) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "announced %" G_GINT64_FORMAT " bytes of results, the program has %zu", bytes,
                     expected);
}

status_t answer_read_hex(const answer_t *answer, const type_t *types, uint32_t count,
                         void *const *results, failure_t *error) {
  scan_t scan = scan_make(answer->rest);
  arena_t arena;
  arena_init(&arena);
  status_t status = STATUS_OK;
  for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
    tensor_t tensor;
    if (i != 0) status = scan_expect(&scan, " ", error);
    if (status == STATUS_OK) status = tensor_parse_data(&scan, &types[i], &arena, &tensor, error);
    size_t bytes = type_bytes(&types[i]);
    if (status == STATUS_OK && bytes != 0) memcpy(results[i], tensor.data, bytes);
  }
  arena_deinit(&arena);
  if (status == STATUS_OK && !scan_at_end(&scan)) {
    status = status_fail(error, STATUS_INVALID, "wrote more than %u results", count);
  }
  return status;
}

size_t answer_hex_line_bytes_max(const type_t *types, uint32_t count) {
  size_t bytes = ANSWER_LINE_BYTES_MAX;
  for (uint32_t i = 0; i < count; i++) bytes += 2 * type_bytes(&types[i]) + 2;
  return bytes;
}

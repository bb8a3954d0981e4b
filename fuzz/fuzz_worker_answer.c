/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker says: the reader of greetings and answers takes any bytes and reads
 * none beyond their end.
 *
 *   cmake --preset fuzz && ninja -C build-fuzz fuzz_worker_answer
 *   build-fuzz/fuzz_worker_answer -max_len=500 -dict=fuzz/worker_answer.dict */
#include <stdlib.h>

#include "harness/exec/process/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads `size` bytes from memory that ends there, so that a byte read beyond is seen. */
static void check_greeting(const uint8_t *data, size_t size) {
  char *bytes = malloc(size + (size == 0));
  if (size != 0) memcpy(bytes, data, size);
  greeting_t greeting;
  size_t used = 0;
  failure_t error = {0};
  answer_state_t state = greeting_read((str_t){bytes, size}, &greeting, &used, &error);
  if (state == ANSWER_COMPLETE && (used == 0 || used > size)) abort();
  if (state == ANSWER_INCOMPLETE && size > GREETING_BYTES_MAX + ANSWER_LINE_BYTES_MAX) abort();
  if (state == ANSWER_MALFORMED && error.text[0] == '\0') abort();
  bool is_served = state == ANSWER_COMPLETE && greeting.failure.size == 0;
  if (is_served && (greeting.name[0] == '\0' || greeting.version[0] == '\0')) abort();
  free(bytes);
}

/* Results of as many elements as the first byte tells, of the types that differ most. */
static void check_hex(const answer_t *answer, uint8_t shape) {
  static const char *const elements[] = {"i1", "i4", "f32", "complex<f64>"};
  type_t types[2];
  uint8_t *results[2];
  void *places[2];
  int64_t count = shape % 4;
  uint32_t result_count = 1 + (shape >> 2 & 1);
  for (uint32_t i = 0; i < result_count; i++) {
    types[i] = type_make(element_named(elements[(shape >> (3 + 2 * i)) % 4]), 1, &count);
    results[i] = malloc(type_bytes(&types[i]) + 1);
    places[i] = results[i];
  }
  failure_t error = {0};
  status_t status = answer_read_hex(answer, types, result_count, places, &error);
  if (status != STATUS_OK && error.text[0] == '\0') abort();
  if (answer->rest.size > answer_hex_line_bytes_max(types, result_count) && status == STATUS_OK) {
    abort();
  }
  for (uint32_t i = 0; i < result_count; i++) free(results[i]);
}

static void check_answer(const uint8_t *data, size_t size, uint8_t shape) {
  char *bytes = malloc(size + (size == 0));
  if (size != 0) memcpy(bytes, data, size);
  answer_t answer;
  size_t used = 0;
  failure_t error = {0};
  answer_state_t state =
      answer_read((str_t){bytes, size}, ANSWER_LINE_BYTES_MAX, &answer, &used, &error);
  if (state == ANSWER_INCOMPLETE && size >= ANSWER_LINE_BYTES_MAX) abort();
  if (state == ANSWER_MALFORMED && error.text[0] == '\0') abort();
  if (state == ANSWER_COMPLETE) {
    if (used == 0 || used > size) abort();
    answer_check_bytes(&answer, shape, &error);
    check_hex(&answer, shape);
  }
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  check_greeting(data + 1, size - 1);
  check_answer(data + 1, size - 1, data[0]);
  return 0;
}

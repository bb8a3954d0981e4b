/* SPDX-License-Identifier: Apache-2.0 */
/* Maps the shared memory of a backend call: results between pattern zones and protected pages,
 * operands that can be made read-only, both at addresses aligned no better than promised, and a
 * note of the running call that survives a crash. */
#include "harness/exec/transport/call_memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/instruction_set.h"

enum {
  ALIGNMENT = 64,
  OPERAND_GAP_BYTES = 2 * ALIGNMENT,
  GUARD_BYTES = 1 << 20, /* Pages that nobody may touch, before and after each result. */
};

/* An odd multiple of the alignment: who counts on more shall fail. */
static const size_t misalignment = ALIGNMENT;

static const size_t operand_memory_bytes =
    (size_t)CASE_OPERANDS_MAX * ((size_t)TYPE_BYTES_MAX + OPERAND_GAP_BYTES);
static const size_t slot_bytes =
    (size_t)TYPE_BYTES_MAX + 2 * (size_t)CALL_ZONE_BYTES + 2 * (size_t)GUARD_BYTES;
static const size_t result_memory_bytes =
    (size_t)CASE_RESULTS_MAX *
    ((size_t)TYPE_BYTES_MAX + 2 * (size_t)CALL_ZONE_BYTES + 2 * (size_t)GUARD_BYTES);

const char *call_words(call_kind_t kind) {
  static const char *const words[CALL_KIND_COUNT] = {
#define CALL(name, words) words,
      CALL_KINDS(CALL)
#undef CALL
  };
  return kind < CALL_KIND_COUNT ? words[kind] : "in an unknown call";
}

call_sizes_t call_sizes_of(const program_t *program) {
  call_sizes_t sizes = {.operand_count = program->operand_count,
                        .result_count = program->result_count};
  for (uint32_t i = 0; i < program->operand_count; i++) {
    sizes.operands[i] = type_bytes(&program->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    sizes.results[i] = type_bytes(&program->results[i]);
  }
  return sizes;
}

/* ---- The memory. */

static void *map_shared(size_t bytes) {
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

call_memory_t *call_memory_new(void) {
  call_memory_t *memory = g_new0(call_memory_t, 1);
  memory->note = map_shared(sizeof *memory->note);
  memory->operands = map_shared(operand_memory_bytes);
  memory->results = map_shared(result_memory_bytes);
  bool is_there = memory->note != NULL && memory->operands != NULL && memory->results != NULL;
  if (is_there) return memory;
  call_memory_free(memory);
  return NULL;
}

void call_memory_free(call_memory_t *memory) {
  if (memory == NULL) return;
  if (memory->note != NULL) munmap(memory->note, sizeof *memory->note);
  if (memory->operands != NULL) munmap(memory->operands, operand_memory_bytes);
  if (memory->results != NULL) munmap(memory->results, result_memory_bytes);
  g_free(memory);
}

/* ---- The note. */

void call_memory_enter(call_memory_t *memory, call_kind_t kind) {
  memory->note->entered++;
  memory->note->kind = kind;
  /* What follows must not move up: it may end the process. */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void call_memory_leave(call_memory_t *memory) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  memory->note->kind = CALL_none;
}

void call_memory_note_opening(call_memory_t *memory, uint32_t executor) {
  memory->note->executor = executor;
  memory->note->has_data = false;
  memory->note->program[0] = '\0';
  memory->noted = 0;
}

uint64_t call_memory_number_program(call_memory_t *memory) { return ++memory->programs; }

void call_memory_note_program(call_memory_t *memory, uint32_t executor, uint64_t number,
                              const char *line) {
  call_note_t *note = memory->note;
  note->executor = executor;
  if (number != CALL_NO_PROGRAM && memory->noted == number) return;
  size_t size = strlen(line) + 1;
  note->has_data = false;
  if (size > sizeof note->program) {
    note->program[0] = '\0';
  } else {
    memcpy(note->program, line, size);
  }
  memory->noted = number;
}

/* ---- Operands. */

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

const uint8_t *call_memory_operand(const call_memory_t *memory, const call_sizes_t *sizes,
                                   uint32_t i) {
  size_t offset = misalignment;
  for (uint32_t before = 0; before < i; before++) offset += aligned(sizes->operands[before]);
  return memory->operands + offset;
}

void call_memory_put_operands(call_memory_t *memory, const call_sizes_t *sizes,
                              const tensor_t *operands) {
  uint8_t *place = memory->operands + misalignment;
  for (uint32_t i = 0; i < sizes->operand_count; i++) {
    if (sizes->operands[i] != 0) memcpy(place, operands[i].data, sizes->operands[i]);
    place += aligned(sizes->operands[i]);
  }
  memory->note->has_data = true;
}

uint32_t call_memory_find_changed(const call_memory_t *memory, const call_sizes_t *sizes,
                                  const tensor_t *operands) {
  const uint8_t *place = memory->operands + misalignment;
  for (uint32_t i = 0; i < sizes->operand_count; i++) {
    bool is_same =
        sizes->operands[i] == 0 || memcmp(place, operands[i].data, sizes->operands[i]) == 0;
    if (!is_same) return i;
    place += aligned(sizes->operands[i]);
  }
  return sizes->operand_count;
}

void call_memory_protect_operands(const call_memory_t *memory) {
  mprotect(memory->operands, operand_memory_bytes, PROT_READ);
}

/* ---- Results.  Of each slot the middle part is open: a zone, the result, a zone that goes on to
 * the end of its page. */

static uint8_t *open_part(const call_memory_t *memory, uint32_t i) {
  return memory->results + i * slot_bytes + GUARD_BYTES;
}

uint8_t *call_memory_result(const call_memory_t *memory, uint32_t i) {
  return open_part(memory, i) + CALL_ZONE_BYTES + misalignment;
}

static size_t open_bytes(uint64_t result_bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t bytes = 2 * (size_t)CALL_ZONE_BYTES + misalignment + (size_t)result_bytes;
  return (bytes + page - 1) / page * page;
}

/* Unlike the poison, and different between two runs with different poison, so that no constant
 * written there goes unseen in both. */
static uint8_t zone_byte(uint8_t poison) { return poison ^ 0x3c; }

void call_memory_lay_results(call_memory_t *memory, const call_sizes_t *sizes, uint8_t poison) {
  for (uint32_t i = 0; i < sizes->result_count; i++) {
    memset(open_part(memory, i), zone_byte(poison), open_bytes(sizes->results[i]));
    memset(call_memory_result(memory, i), poison, sizes->results[i]);
  }
}

/* Bits that differ from the pattern in so many words; compiled for two instruction sets. */
static inline __attribute__((always_inline)) uint64_t other_bits(const uint8_t *words, size_t count,
                                                                 uint64_t pattern) {
  uint64_t other = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t word;
    memcpy(&word, words + i * sizeof word, sizeof word);
    other |= word ^ pattern;
  }
  return other;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static uint64_t other_bits_avx2(const uint8_t *words, size_t count,
                                                                uint64_t pattern) {
  return other_bits(words, count, pattern);
}
#endif

/* Whether every byte has the value. */
static bool is_filled(const uint8_t *begin, const uint8_t *end, uint8_t value) {
  if (begin >= end) return true;
  size_t bytes = (size_t)(end - begin), words = bytes / sizeof(uint64_t);
  uint64_t pattern = value * (UINT64_MAX / UINT8_MAX), other;
#ifdef __x86_64__
  other = instruction_set() == ISA_PLAIN ? other_bits(begin, words, pattern)
                                         : other_bits_avx2(begin, words, pattern);
#else
  other = other_bits(begin, words, pattern);
#endif
  for (const uint8_t *byte = begin + words * sizeof(uint64_t); byte < end; byte++) {
    other |= (uint64_t)(*byte ^ value);
  }
  return other == 0;
}

uint32_t call_memory_find_broken(const call_memory_t *memory, const call_sizes_t *sizes,
                                 uint8_t poison) {
  uint8_t value = zone_byte(poison);
  for (uint32_t i = 0; i < sizes->result_count; i++) {
    const uint8_t *begin = open_part(memory, i);
    const uint8_t *result = call_memory_result(memory, i);
    const uint8_t *after = result + sizes->results[i];
    const uint8_t *end = begin + open_bytes(sizes->results[i]);
    if (!is_filled(begin, result, value) || !is_filled(after, end, value)) return i;
  }
  return sizes->result_count;
}

void call_memory_close_guards(call_memory_t *memory, const call_sizes_t *sizes) {
  for (uint32_t i = 0; i < sizes->result_count; i++) {
    size_t bytes = open_bytes(sizes->results[i]);
    size_t present = memory->open_bytes[i];
    if (present == bytes) continue;
    uint8_t *part = open_part(memory, i);
    if (present == 0) { /* For the first time. */
      mprotect(part - GUARD_BYTES, GUARD_BYTES, PROT_NONE);
      mprotect(part + bytes, slot_bytes - GUARD_BYTES - bytes, PROT_NONE);
    } else if (bytes < present) {
      mprotect(part + bytes, present - bytes, PROT_NONE);
    } else {
      mprotect(part + present, bytes - present, PROT_READ | PROT_WRITE);
    }
    memory->open_bytes[i] = bytes;
  }
}

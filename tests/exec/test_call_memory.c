/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of calls: results between guards that hold, whatever size they have and had. */
#include <sys/wait.h>
#include <unistd.h>

#include "harness/exec/transport/call_memory.h"
#include "tests/exec/exec_checks.h"

enum { RESULTS = 2 };

static call_sizes_t sizes_of(size_t first, size_t second) {
  return (call_sizes_t){.result_count = RESULTS, .results = {first, second}};
}

static const size_t some_sizes[] = {0,    1,    4,     63,    64,    65,    4096,   5000,
                                    8191, 8192, 16384, 20000, 65536, 70000, 300000, 1 << 20};

/* What is written within a result breaks nothing; one byte beside it does. */
static void check_sizes(call_memory_t *memory, const call_sizes_t *sizes, uint8_t poison) {
  call_memory_close_guards(memory, sizes);
  call_memory_lay_results(memory, sizes, poison);
  for (uint32_t i = 0; i < RESULTS; i++) {
    uint8_t *result = call_memory_result(memory, i);
    g_assert_cmpuint((uintptr_t)result % 64, ==, 0);
    for (size_t at = 0; at < sizes->results[i]; at++) g_assert_cmpuint(result[at], ==, poison);
    memset(result, 0x77, sizes->results[i]);
  }
  g_assert_cmpuint(call_memory_find_broken(memory, sizes, poison), ==, RESULTS);
  static const ptrdiff_t distances[] = {1, 2, 64, 5000, CALL_ZONE_BYTES};
  for (uint32_t i = 0; i < RESULTS; i++) {
    for (size_t k = 0; k < G_N_ELEMENTS(distances); k++) {
      uint8_t *before = call_memory_result(memory, i) - distances[k];
      uint8_t *after = call_memory_result(memory, i) + sizes->results[i] + distances[k] - 1;
      uint8_t *places[] = {before, after};
      for (int side = 0; side < 2; side++) {
        uint8_t saved = *places[side];
        *places[side] ^= 1;
        g_assert_cmpuint(call_memory_find_broken(memory, sizes, poison), ==, i);
        *places[side] = saved;
      }
    }
  }
}

/* Sizes go up and down. */
static void test_zones(void) {
  call_memory_t *memory = call_memory_new();
  for (size_t i = 0; i < G_N_ELEMENTS(some_sizes); i++) {
    for (size_t k = 0; k < G_N_ELEMENTS(some_sizes); k += 3) {
      const call_sizes_t sizes = sizes_of(some_sizes[i], some_sizes[(i * 7 + k) % 16]);
      check_sizes(memory, &sizes, (uint8_t)(i * 37 + k));
    }
  }
  call_memory_free(memory);
}

/* Whether a write there ends the process. */
static bool is_deadly(uint8_t *place) {
  pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    *(volatile uint8_t *)place = 1;
    _exit(0);
  }
  int status;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void test_pages(void) {
  call_memory_t *memory = call_memory_new();
  static const size_t sizes_tried[] = {4, 100000, 70};
  for (size_t i = 0; i < G_N_ELEMENTS(sizes_tried); i++) {
    const call_sizes_t sizes = sizes_of(sizes_tried[i], 8);
    call_memory_close_guards(memory, &sizes);
    static const size_t distances[] = {100000, 500000, 1000000};
    for (size_t k = 0; k < G_N_ELEMENTS(distances); k++) {
      g_assert_true(is_deadly(call_memory_result(memory, 0) - distances[k]));
      g_assert_true(is_deadly(call_memory_result(memory, 0) + sizes_tried[i] + distances[k]));
      g_assert_true(is_deadly(call_memory_result(memory, 1) + 8 + distances[k]));
    }
  }
  call_memory_free(memory);
}

/* Operands are where they are said to be, and any change of one is seen. */
static void test_operands(void) {
  bench_t bench;
  bench_init(&bench);
  call_memory_t *memory = call_memory_new();
  const call_sizes_t sizes = call_sizes_of(&bench.program);
  call_memory_put_operands(memory, &sizes, bench.operands);
  g_assert_cmpuint(call_memory_find_changed(memory, &sizes, bench.operands), ==, 2);
  for (uint32_t i = 0; i < sizes.operand_count; i++) {
    const uint8_t *operand = call_memory_operand(memory, &sizes, i);
    g_assert_cmpuint((uintptr_t)operand % 64, ==, 0);
    g_assert_cmpint(memcmp(operand, bench.operands[i].data, sizes.operands[i]), ==, 0);
    memory->operands[operand - memory->operands + 3] ^= 0x80;
    g_assert_cmpuint(call_memory_find_changed(memory, &sizes, bench.operands), ==, i);
    memory->operands[operand - memory->operands + 3] ^= 0x80;
  }
  call_memory_free(memory);
  bench_deinit(&bench);
}

/* What a process has noted is there when it is not. */
static void test_note_outlives(void) {
  bench_t bench;
  bench_init(&bench);
  call_memory_t *memory = call_memory_new();
  const call_sizes_t sizes = call_sizes_of(&bench.program);
  pid_t child = fork();
  if (child == 0) {
    call_memory_note_opening(memory, 3);
    call_memory_note_program(memory, 3, call_memory_number_program(memory), check_line);
    call_memory_put_operands(memory, &sizes, bench.operands);
    call_memory_enter(memory, CALL_execute);
    _exit(0);
  }
  g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
  g_assert_cmpuint(memory->note->kind, ==, CALL_execute);
  g_assert_cmpuint(memory->note->executor, ==, 3);
  g_assert_cmpstr(memory->note->program, ==, check_line);
  g_assert_true(memory->note->has_data);
  g_assert_cmpuint(call_memory_find_changed(memory, &sizes, bench.operands), ==, 2);
  call_memory_free(memory);
  bench_deinit(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/call_memory/zones", test_zones);
  g_test_add_func("/call_memory/pages", test_pages);
  g_test_add_func("/call_memory/operands", test_operands);
  g_test_add_func("/call_memory/note_outlives", test_note_outlives);
  return g_test_run();
}

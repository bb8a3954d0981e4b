/* SPDX-License-Identifier: Apache-2.0 */
/* The arena: alignment, contents, growth, and reuse of its memory. */
#include "harness/base/arena.h"

#include <glib.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64, MEGABYTE = 1 << 20 };

/* Blocks of every size are aligned and overlap none before them. */
static void test_alloc(void) {
  arena_t arena;
  arena_init(&arena);
  enum { COUNT = 3000 };
  uint8_t *data[COUNT];
  for (size_t i = 0; i < COUNT; i++) { /* Far beyond the first block. */
    data[i] = arena_alloc(&arena, i);
    g_assert_cmpuint((uintptr_t)data[i] % ALIGNMENT, ==, 0);
    memset(data[i], (int)(i % 251), i);
  }
  for (size_t i = 0; i < COUNT; i++) {
    for (size_t j = 0; j < i; j++) g_assert_cmpuint(data[i][j], ==, i % 251);
  }
  arena_deinit(&arena);
  g_assert_null(arena.first);
}

static void test_empty(void) {
  arena_t arena;
  arena_init(&arena);
  void *first = arena_alloc(&arena, 0);
  void *second = arena_alloc(&arena, 0);
  g_assert_nonnull(first);
  g_assert_true(first != second);
  arena_deinit(&arena);
  arena_init(&arena); /* Never used. */
  arena_reset(&arena);
  arena_deinit(&arena);
}

static void test_zeroed(void) {
  arena_t arena;
  arena_init(&arena);
  memset(arena_alloc(&arena, 1000), 0xff, 1000);
  arena_reset(&arena);
  uint8_t *data = arena_alloc_zeroed(&arena, 1000);
  for (size_t i = 0; i < 1000; i++) g_assert_cmpuint(data[i], ==, 0);
  arena_deinit(&arena);
}

static void test_array(void) {
  arena_t arena;
  arena_init(&arena);
  uint64_t *numbers = ARENA_NEW_ARRAY(&arena, uint64_t, 1000);
  for (size_t i = 0; i < 1000; i++) numbers[i] = i;
  uint64_t *others = ARENA_NEW_ARRAY(&arena, uint64_t, 1000);
  g_assert_true(others >= numbers + 1000);
  arena_deinit(&arena);
}

/* A product that overflows ends the program instead of wrapping. */
static void test_array_overflow(void) {
  if (g_test_subprocess()) {
    arena_t arena;
    arena_init(&arena);
    arena_alloc_array(&arena, SIZE_MAX / 4, 8);
    return;
  }
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr("*out of memory*");
}

static void test_copy_text(void) {
  arena_t arena;
  arena_init(&arena);
  g_assert_cmpstr(arena_copy_text(&arena, "abcdef", 3), ==, "abc");
  g_assert_cmpstr(arena_copy_text(&arena, NULL, 0), ==, "");
  arena_deinit(&arena);
}

/* After a reset the same calls get the same memory: a long campaign settles. */
static void test_reset(void) {
  arena_t arena;
  arena_init(&arena);
  const size_t sizes[] = {100, MEGABYTE, 3 * MEGABYTE, 7, MEGABYTE / 2};
  void *before[G_N_ELEMENTS(sizes)];
  for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) before[i] = arena_alloc(&arena, sizes[i]);
  for (int round = 0; round < 3; round++) {
    arena_reset(&arena);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
      g_assert_true(arena_alloc(&arena, sizes[i]) == before[i]);
    }
  }
  arena_deinit(&arena);
}

/* Hundreds of compiled programs have an arena each, so one that holds little is small. */
static void test_small(void) {
  arena_t arena;
  arena_init(&arena);
  g_assert_cmpuint(arena_bytes(&arena), ==, 0);
  for (int i = 0; i < 10; i++) arena_alloc(&arena, 100);
  g_assert_cmpuint(arena_bytes(&arena), <=, 8192);
  arena_deinit(&arena);
}

/* Cases of many sizes, one after the other: in the end no block comes or goes. */
static void test_settles(void) {
  enum { INSTANCES = 97, ROUNDS = 60, SETTLED = 30 };
  arena_t arena;
  arena_init(&arena);
  const void *before[INSTANCES] = {NULL};
  size_t settled = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    for (uint32_t instance = 0; instance < INSTANCES; instance++) {
      arena_reset(&arena);
      arena_alloc(&arena, (size_t)64 << (instance * 7 % 15));
      for (uint32_t i = 0; i < 40; i++) arena_alloc(&arena, (instance * 31 + i * 1009) % 30000);
      const void *last = arena_alloc(&arena, 1);
      if (round > SETTLED) g_assert_true(last == before[instance]);
      before[instance] = last;
    }
    if (round == SETTLED) settled = arena_bytes(&arena);
  }
  g_assert_cmpuint(arena_bytes(&arena), ==, settled);
  g_assert_cmpuint(settled, <, 8 * MEGABYTE);
  arena_deinit(&arena);
}

/* Bytes that the heap has got from the kernel; 0 where another allocator is at work. */
static size_t heap_bytes(void) { return mallinfo2().arena; }

/* Programs come and go, each with an arena, and after each a few bytes stay: what is freed is had
 * again, so that the heap of a process that goes on for hours grows by what stays. */
static void test_is_recycled(void) {
  enum { ARENAS = 256, ROUNDS = 20000, SETTLED = 2000, STAYING_BYTES = 24 };
  static arena_t arenas[ARENAS];
  static void *staying[ROUNDS];
  size_t settled = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    arena_t *arena = &arenas[round % ARENAS];
    arena_deinit(arena);
    arena_alloc(arena, 100);
    if (round % 3 == 0) arena_alloc(arena, 6000);
    staying[round] = g_malloc(STAYING_BYTES);
    if (round == SETTLED) settled = heap_bytes();
  }
  g_assert_cmpuint(heap_bytes(), <=, settled + (size_t)2 * ROUNDS * STAYING_BYTES);
  for (size_t i = 0; i < ARENAS; i++) arena_deinit(&arenas[i]);
  for (size_t i = 0; i < ROUNDS; i++) g_free(staying[i]);
}

/* Rewinding frees what came after the mark, and nothing before it. */
static void test_rewind(void) {
  arena_t arena;
  arena_init(&arena);
  arena_mark_t unused = arena_mark(&arena);
  char *kept = arena_copy_text(&arena, "kept", 4);
  arena_mark_t mark = arena_mark(&arena);
  void *scratch = arena_alloc(&arena, 100);
  for (int i = 0; i < 5; i++) memset(arena_alloc(&arena, MEGABYTE), 'x', MEGABYTE);
  arena_rewind(&arena, mark);
  g_assert_cmpstr(kept, ==, "kept");
  g_assert_true(arena_alloc(&arena, 100) == scratch);
  arena_rewind(&arena, unused); /* Marked before the first block was there. */
  g_assert_true(arena_alloc(&arena, 5) == (void *)kept);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/arena/alloc", test_alloc);
  g_test_add_func("/arena/empty", test_empty);
  g_test_add_func("/arena/zeroed", test_zeroed);
  g_test_add_func("/arena/array", test_array);
  g_test_add_func("/arena/array_overflow", test_array_overflow);
  g_test_add_func("/arena/copy_text", test_copy_text);
  g_test_add_func("/arena/reset", test_reset);
  g_test_add_func("/arena/rewind", test_rewind);
  g_test_add_func("/arena/small", test_small);
  g_test_add_func("/arena/settles", test_settles);
  g_test_add_func("/arena/is_recycled", test_is_recycled);
  return g_test_run();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocator over a list of doubling blocks; rewinding to a mark keeps the blocks, and unused
 * blocks too small for a request are replaced, so that long runs settle at constant memory. */
#include "harness/base/arena.h"

#include <glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Blocks begin small, since most arenas hold one program, and double: long cases soon have large
 * ones. */
enum {
  ARENA_ALIGNMENT = 64,
  ARENA_FIRST_BLOCK_BYTES = 1 << 12,
  ARENA_GROWN_BLOCK_BYTES = 1 << 20,
};

struct arena_block {
  arena_block_t *next;
  size_t capacity; /* Bytes in `data`. */
  size_t used;     /* A multiple of ARENA_ALIGNMENT. */
  unsigned char *data;
};

/* A block for `bytes` and more, to follow `last`, which is NULL before the first.  Aligned by hand:
 * up to glibc 2.37 a block that was got by aligned_alloc() and freed cannot be had so again, since
 * more is asked for than it has, and the heap of a process that goes on for hours is all holes. */
static arena_block_t *block_make(size_t bytes, const arena_block_t *last) {
  size_t capacity = ARENA_FIRST_BLOCK_BYTES;
  if (last != NULL) capacity = MIN(2 * last->capacity, (size_t)ARENA_GROWN_BLOCK_BYTES);
  capacity = MAX(capacity, bytes);
  arena_block_t *block = malloc(sizeof *block + ARENA_ALIGNMENT + capacity);
  if (block == NULL) g_error("out of memory: cannot allocate %zu bytes", capacity);
  uintptr_t data = (uintptr_t)(block + 1);
  size_t gap = (ARENA_ALIGNMENT - data % ARENA_ALIGNMENT) % ARENA_ALIGNMENT;
  *block = (arena_block_t){.capacity = capacity, .data = (unsigned char *)(block + 1) + gap};
  return block;
}

static void block_free(arena_block_t *block) { free(block); }

void arena_init(arena_t *arena) { *arena = (arena_t){0}; }

void arena_deinit(arena_t *arena) {
  arena_block_t *block = arena->first;
  while (block != NULL) {
    arena_block_t *next = block->next;
    block_free(block);
    block = next;
  }
  *arena = (arena_t){0};
}

void arena_reset(arena_t *arena) {
  arena_rewind(arena, (arena_mark_t){.block = arena->first, .used = 0});
}

size_t arena_bytes(const arena_t *arena) {
  size_t bytes = 0;
  for (const arena_block_t *block = arena->first; block != NULL; block = block->next) {
    bytes += block->capacity;
  }
  return bytes;
}

arena_mark_t arena_mark(const arena_t *arena) {
  return (arena_mark_t){.block = arena->current,
                        .used = arena->current == NULL ? 0 : arena->current->used};
}

void arena_rewind(arena_t *arena, arena_mark_t mark) {
  if (mark.block == NULL) { /* Marked before first use: start over in the first block. */
    mark.block = arena->first;
    mark.used = 0;
  }
  arena->current = mark.block;
  if (mark.block != NULL) mark.block->used = mark.used;
}

/* Blocks after the current one are unused.  Those too small for what is wanted give way to one that
 * is large enough: an arena that lives long does not gather blocks of every size. */
static void drop_small_blocks(arena_block_t **link, size_t bytes) {
  while (*link != NULL && (*link)->capacity < bytes) {
    arena_block_t *small = *link;
    *link = small->next;
    block_free(small);
  }
}

void *arena_alloc(arena_t *arena, size_t bytes) {
  if (bytes > SIZE_MAX / 2) g_error("out of memory: cannot allocate %zu bytes", bytes);
  size_t rounded = (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
  if (rounded == 0) rounded = ARENA_ALIGNMENT;
  arena_block_t **link = arena->current == NULL ? &arena->first : &arena->current->next;
  arena_block_t *block = arena->current;
  while (block == NULL || block->capacity - block->used < rounded) {
    drop_small_blocks(link, rounded);
    if (*link == NULL) *link = block_make(rounded, block);
    block = *link;
    block->used = 0;
    link = &block->next;
  }
  arena->current = block;
  void *data = block->data + block->used;
  block->used += rounded;
  return data;
}

void *arena_alloc_zeroed(arena_t *arena, size_t bytes) {
  return memset(arena_alloc(arena, bytes), 0, bytes);
}

void *arena_alloc_array(arena_t *arena, size_t count, size_t element_bytes) {
  size_t bytes;
  if (__builtin_mul_overflow(count, element_bytes, &bytes)) {
    g_error("out of memory: %zu elements of %zu bytes", count, element_bytes);
  }
  return arena_alloc(arena, bytes);
}

char *arena_copy_text(arena_t *arena, const char *data, size_t size) {
  char *copy = arena_alloc(arena, size + 1);
  if (size != 0) memcpy(copy, data, size);
  copy[size] = '\0';
  return copy;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A bump allocator.  One arena owns all that concerns one case; nothing in it is freed singly.
 * Memory stays mapped over arena_reset(), so a long campaign settles at no allocation at all. */
#ifndef ASSAY_BASE_ARENA_H
#define ASSAY_BASE_ARENA_H

#include <stddef.h>

typedef struct arena_block arena_block_t;

typedef struct arena {
  arena_block_t *first;   /* Owned list of blocks, in order of use; NULL before first use. */
  arena_block_t *current; /* The block that the next allocation tries first. */
} arena_t;

/* A place to which an arena can be rewound. */
typedef struct arena_mark {
  arena_block_t *block;
  size_t used;
} arena_mark_t;

/* Makes an empty arena; it allocates on first use. */
void arena_init(arena_t *arena);

/* Frees everything. */
void arena_deinit(arena_t *arena);

/* Forgets everything and keeps the memory for reuse. */
void arena_reset(arena_t *arena);

/* Memory that it holds, in use or kept for reuse: a few kilobytes for one that is hardly used. */
size_t arena_bytes(const arena_t *arena);

/* Remembers the present state; arena_rewind() forgets all that was allocated since. */
arena_mark_t arena_mark(const arena_t *arena);
void arena_rewind(arena_t *arena, arena_mark_t mark);

/* `bytes` of uninitialised memory, aligned to 64 bytes (one cache line, one AVX-512 register).
 * Never NULL, also for 0 bytes. */
void *arena_alloc(arena_t *arena, size_t bytes) __attribute__((malloc, returns_nonnull));

/* The same, zeroed. */
void *arena_alloc_zeroed(arena_t *arena, size_t bytes) __attribute__((malloc, returns_nonnull));

/* `count` uninitialised elements of `type`; a product that overflows ends the program. */
void *arena_alloc_array(arena_t *arena, size_t count, size_t element_bytes)
    __attribute__((malloc, returns_nonnull));
#define ARENA_NEW_ARRAY(arena, type, count) \
  ((type *)arena_alloc_array((arena), (count), sizeof(type)))

/* A NUL-terminated copy of `size` bytes. */
char *arena_copy_text(arena_t *arena, const char *data, size_t size)
    __attribute__((malloc, returns_nonnull));

#endif

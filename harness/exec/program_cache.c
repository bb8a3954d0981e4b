/* SPDX-License-Identifier: Apache-2.0 */
/* Least-recently-used cache of compiled and refused programs: a hash table into a queue; eviction
 * releases the backend's handle. */
#include "harness/exec/program_cache.h"

#include <string.h>

#include "harness/model/dynamic/dynamic.h"

struct program_cache {
  program_cache_context_t context;
  GHashTable *links; /* hash_text_t::text, borrowed from the entry -> its GList link. */
  GQueue entries;    /* executor_program_t, most recently used first. */
};

static void release(const program_cache_context_t *context, const executor_program_t *entry) {
  char text[REASON_BYTES] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  call_memory_note_program(context->memory, context->executor, entry->number, entry->line);
  executor_outcome_t outcome =
      context->transport->functions->release(context->transport, entry->handle, &reason);
  executor_aftermath_t *aftermath = context->aftermath;
  if (outcome == EXECUTOR_OK || aftermath->outcome != EXECUTOR_OK) return;
  aftermath->outcome = outcome;
  aftermath->is_of_program = true;
  memcpy(aftermath->reason, text, sizeof text);
  aftermath->program_line = g_strdup(entry->line);
}

static void entry_free(program_cache_t *cache, executor_program_t *entry) {
  if (entry->outcome == EXECUTOR_OK) release(&cache->context, entry);
  g_free(entry->line);
  g_free(entry);
}

program_cache_t *program_cache_make(const program_cache_context_t *context) {
  program_cache_t *cache = g_new0(program_cache_t, 1);
  cache->context = *context;
  cache->links = g_hash_table_new(g_str_hash, g_str_equal);
  g_queue_init(&cache->entries);
  return cache;
}

void program_cache_free(program_cache_t *cache) {
  executor_program_t *entry;
  while ((entry = g_queue_pop_head(&cache->entries)) != NULL) entry_free(cache, entry);
  g_hash_table_destroy(cache->links);
  g_free(cache);
}

executor_program_t *program_cache_find(program_cache_t *cache, const hash_text_t *key) {
  GList *link = g_hash_table_lookup(cache->links, key->text);
  if (link == NULL) return NULL;
  if (link != cache->entries.head) {
    g_queue_unlink(&cache->entries, link);
    g_queue_push_head_link(&cache->entries, link);
  }
  return link->data;
}

executor_program_t *program_cache_add(program_cache_t *cache, const hash_text_t *key,
                                      const program_t *program, char *line, uint64_t number) {
  if (cache->entries.length == PROGRAM_CACHE_MAX) {
    executor_program_t *oldest = g_queue_pop_tail(&cache->entries);
    g_hash_table_remove(cache->links, oldest->key.text);
    entry_free(cache, oldest);
  }
  executor_program_t *entry = g_new0(executor_program_t, 1);
  entry->key = *key;
  entry->line = line;
  entry->number = number;
  entry->sizes = call_sizes_of(program);
  entry->is_dynamic = program_is_dynamic(program);
  g_queue_push_head(&cache->entries, entry);
  g_hash_table_insert(cache->links, entry->key.text, cache->entries.head);
  return entry;
}

#include "harness/exec/program_cache.h"

enum { RESULT_ALIGNMENT = 64 };

struct program_cache {
  transport_t *transport;
  GHashTable *links; /* hash_text_t::text, borrowed from the entry -> its GList link. */
  GQueue entries;    /* executor_program_t, most recently used first. */
};

static void entry_free(program_cache_t *cache, executor_program_t *entry) {
  if (entry->outcome == EXECUTOR_OK) {
    cache->transport->functions->release(cache->transport, entry->handle);
  }
  g_free(entry);
}

program_cache_t *program_cache_make(transport_t *transport) {
  program_cache_t *cache = g_new0(program_cache_t, 1);
  cache->transport = transport;
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

static size_t align(size_t offset) {
  return (offset + RESULT_ALIGNMENT - 1) / RESULT_ALIGNMENT * RESULT_ALIGNMENT;
}

static void lay_out(executor_program_t *entry, const program_t *program) {
  entry->operand_count = program->operand_count;
  entry->result_count = program->result_count;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    entry->operand_bytes[i] = type_bytes(&program->operands[i]);
  }
  size_t offset = GUARD_BYTES;
  for (uint32_t i = 0; i < program->result_count; i++) {
    entry->result_bytes[i] = type_bytes(&program->results[i]);
    entry->result_offset[i] = offset;
    offset = align(offset + entry->result_bytes[i] + GUARD_BYTES);
  }
  entry->memory_bytes = offset;
}

executor_program_t *program_cache_add(program_cache_t *cache, const hash_text_t *key,
                                      const program_t *program) {
  if (cache->entries.length == PROGRAM_CACHE_MAX) {
    executor_program_t *oldest = g_queue_pop_tail(&cache->entries);
    g_hash_table_remove(cache->links, oldest->key.text);
    entry_free(cache, oldest);
  }
  executor_program_t *entry = g_new0(executor_program_t, 1);
  entry->key = *key;
  lay_out(entry, program);
  g_queue_push_head(&cache->entries, entry);
  g_hash_table_insert(cache->links, entry->key.text, cache->entries.head);
  return entry;
}

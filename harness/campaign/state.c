/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the campaign's key file, replaced atomically, and derives the seed of each time
 * slice from the campaign's. */
#include "harness/campaign/state.h"

#include "harness/base/rng.h"

static const char GROUP[] = "campaign";

void campaign_state_deinit(campaign_state_t *state) {
  g_free(state->name);
  g_free(state->request);
  g_free(state->started);
  g_free(state->items);
  g_free(state->isolated);
  *state = (campaign_state_t){0};
}

static char *item_group(size_t index) { return g_strdup_printf("executor %zu", index); }

static void read_item(GKeyFile *file, size_t index, campaign_share_item_t *item, bool *isolated,
                      GError **failure) {
  g_autofree char *group = item_group(index);
  item->seconds = g_key_file_get_double(file, group, "seconds", failure);
  if (*failure == NULL) item->yield = g_key_file_get_double(file, group, "yield", failure);
  if (*failure == NULL) *isolated = g_key_file_get_boolean(file, group, "isolated", failure);
}

static void read_items(GKeyFile *file, campaign_state_t *state, GError **failure) {
  state->items = g_new0(campaign_share_item_t, state->item_count);
  state->isolated = g_new0(bool, state->item_count);
  for (size_t i = 0; i < state->item_count && *failure == NULL; i++) {
    read_item(file, i, &state->items[i], &state->isolated[i], failure);
  }
}

static void read_keys(GKeyFile *file, campaign_state_t *state, GError **failure) {
  state->name = g_key_file_get_string(file, GROUP, "name", failure);
  if (*failure == NULL) state->request = g_key_file_get_string(file, GROUP, "request", failure);
  if (*failure == NULL) state->started = g_key_file_get_string(file, GROUP, "started", failure);
  if (*failure == NULL) state->seed = g_key_file_get_uint64(file, GROUP, "seed", failure);
  if (*failure == NULL) {
    state->seconds_total = g_key_file_get_double(file, GROUP, "seconds_total", failure);
  }
  if (*failure == NULL) {
    state->seconds_spent = g_key_file_get_double(file, GROUP, "seconds_spent", failure);
  }
  if (*failure == NULL) state->slices = g_key_file_get_uint64(file, GROUP, "slices", failure);
  if (*failure == NULL) {
    state->is_finished = g_key_file_get_boolean(file, GROUP, "finished", failure);
  }
  if (*failure == NULL) {
    state->item_count = (size_t)g_key_file_get_uint64(file, GROUP, "executors", failure);
  }
  enum { ITEMS_MAX = 4096 }; /* A damaged file may say anything. */
  if (*failure == NULL && state->item_count <= ITEMS_MAX) read_items(file, state, failure);
}

status_t campaign_state_read(const char *path, campaign_state_t *out_state, bool *out_found,
                             failure_t *error) {
  *out_state = (campaign_state_t){0};
  *out_found = false;
  if (!g_file_test(path, G_FILE_TEST_EXISTS)) return STATUS_OK;
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autoptr(GError) failure = NULL;
  if (g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, &failure)) {
    read_keys(file, out_state, &failure);
  }
  if (failure == NULL && out_state->items != NULL) {
    *out_found = true;
    return STATUS_OK;
  }
  campaign_state_deinit(out_state);
  return status_fail(error, STATUS_INVALID,
                     "\"%s\" is damaged (%s): remove it to start over; the database keeps what was "
                     "found",
                     path, failure == NULL ? "too many executors" : failure->message);
}

status_t campaign_state_write(const char *path, const campaign_state_t *state, failure_t *error) {
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_key_file_set_comment(
      file, NULL, NULL, " Written by assay campaign: what was requested, and how far it is.", NULL);
  g_key_file_set_string(file, GROUP, "name", state->name);
  g_key_file_set_string(file, GROUP, "request", state->request);
  g_key_file_set_string(file, GROUP, "started", state->started);
  g_key_file_set_uint64(file, GROUP, "seed", state->seed);
  g_key_file_set_double(file, GROUP, "seconds_total", state->seconds_total);
  g_key_file_set_double(file, GROUP, "seconds_spent", state->seconds_spent);
  g_key_file_set_uint64(file, GROUP, "slices", state->slices);
  g_key_file_set_boolean(file, GROUP, "finished", state->is_finished);
  g_key_file_set_uint64(file, GROUP, "executors", state->item_count);
  for (size_t i = 0; i < state->item_count; i++) {
    g_autofree char *group = item_group(i);
    g_key_file_set_double(file, group, "seconds", state->items[i].seconds);
    g_key_file_set_double(file, group, "yield", state->items[i].yield);
    g_key_file_set_boolean(file, group, "isolated", state->isolated[i]);
  }
  g_autoptr(GError) failure = NULL;
  gsize size = 0;
  g_autofree char *text = g_key_file_to_data(file, &size, NULL);
  if (g_file_set_contents_full(path, text, (gssize)size,
                               G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666,
                               &failure)) {
    return STATUS_OK;
  }
  return status_fail(error, STATUS_IO, "%s", failure->message);
}

uint64_t campaign_state_slice_seed(const campaign_state_t *state, uint64_t slice) {
  uint64_t mixed = state->seed;
  uint64_t first = rng_splitmix(&mixed);
  mixed = first ^ slice;
  return rng_splitmix(&mixed);
}

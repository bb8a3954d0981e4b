/* SPDX-License-Identifier: Apache-2.0 */
/* Reports findings with ids above the last reported one, and notes that id in the database, so
 * that a resumed campaign reports what a kill left unreported. */
#include "harness/campaign/news.h"

#include <glib.h>

#include "harness/store/campaign.h"

struct campaign_news {
  store_t *store; /* Borrowed. */
  char *database; /* Path; owned. */
  int64_t last;   /* The newest finding that was told. */
  int64_t noted;  /* What the database says of that. */
};

static status_t take_last(void *context, int column_count, const char *const *names,
                          const store_value_t *values, failure_t *error) {
  (void)column_count;
  (void)names;
  (void)error;
  if (values != NULL) *(int64_t *)context = values[0].integer;
  return STATUS_OK;
}

status_t campaign_news_open(store_t *store, const char *database, campaign_news_t **out_news,
                            failure_t *error) {
  bool was_killed = false;
  int64_t last = 0;
  STATUS_TRY(store_read_reported(store, &was_killed, &last, error));
  if (!was_killed) {
    STATUS_TRY(store_query(database, "SELECT coalesce(max(divergence_id), 0) FROM divergence",
                           take_last, &last, error));
    STATUS_TRY(store_write_reported(store, last, error));
  }
  campaign_news_t *news = g_new0(campaign_news_t, 1);
  *news = (campaign_news_t){
      .store = store, .database = g_strdup(database), .last = last, .noted = last};
  *out_news = news;
  return STATUS_OK;
}

void campaign_news_close(campaign_news_t *news) {
  if (news == NULL) return;
  g_free(news->database);
  g_free(news);
}

status_t campaign_news_end(campaign_news_t *news, failure_t *error) {
  return store_clear_reported(news->store, error);
}

typedef struct telling {
  campaign_news_t *news;
  campaign_news_tell_t tell;
  void *context;
} telling_t;

static status_t tell_row(void *context, int column_count, const char *const *names,
                         const store_value_t *values, failure_t *error) {
  (void)column_count;
  (void)names;
  (void)error;
  const telling_t *telling = context;
  if (values == NULL) return STATUS_OK;
  if (telling->tell != NULL) {
    telling->tell(telling->context, values[1].text, values[2].text, values[3].text, values[4].text);
  }
  telling->news->last = values[0].integer;
  return STATUS_OK;
}

status_t campaign_news_tell(campaign_news_t *news, campaign_news_tell_t tell, void *context,
                            failure_t *error) {
  g_autofree char *sql = g_strdup_printf(
      "SELECT id, name || ' ' || op || ' ' || algorithm || ' ' || types || ' ' || outcome || "
      "CASE class WHEN '' THEN '' ELSE ' (' || class || ')' END || "
      "CASE cause_words WHEN '' THEN '' ELSE ': ' || cause_words END, small_case_line, name, twin "
      "FROM finding JOIN executor USING (executor_id) "
      "WHERE id > %" G_GINT64_FORMAT " ORDER BY id",
      news->last);
  telling_t telling = {news, tell, context};
  STATUS_TRY(store_query(news->database, sql, tell_row, &telling, error));
  if (news->noted == news->last) return STATUS_OK;
  STATUS_TRY(store_write_reported(news->store, news->last, error));
  news->noted = news->last;
  return STATUS_OK;
}

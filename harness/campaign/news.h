/* SPDX-License-Identifier: Apache-2.0 */
/* Findings that are new to a database, told once each, as they are merged. */
#ifndef ASSAY_CAMPAIGN_NEWS_H
#define ASSAY_CAMPAIGN_NEWS_H

#include "harness/store/store.h"

typedef struct campaign_news campaign_news_t;

/* `twin` is the executor that it was held against, of class twins, else "". */
typedef void (*campaign_news_tell_t)(void *context, const char *description, const char *case_line,
                                     const char *executor, const char *twin);

/* News of the database at the path, which `store`, borrowed, has open.  What is in it now is no
 * news, but for what a campaign that was killed had not told yet. */
status_t campaign_news_open(store_t *store, const char *database, campaign_news_t **out_news,
                            failure_t *error);

/* NULL is ignored.  Without campaign_news_end() the next campaign goes on telling where this one
 * was. */
void campaign_news_close(campaign_news_t *news);

/* Calls `tell`, unless it is NULL, for each finding since the last call, in order, and notes in the
 * database that they were told.  Who is killed in between tells them twice rather than never. */
status_t campaign_news_tell(campaign_news_t *news, campaign_news_tell_t tell, void *context,
                            failure_t *error);

/* All was told: what comes from now on is others' to tell. */
status_t campaign_news_end(campaign_news_t *news, failure_t *error);

#endif

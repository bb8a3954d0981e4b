/* Findings that are new to a database, told once each, as they are merged. */
#ifndef ASSAY_CAMPAIGN_CAMPAIGN_NEWS_H
#define ASSAY_CAMPAIGN_CAMPAIGN_NEWS_H

#include "harness/base/status.h"

typedef struct campaign_news campaign_news_t;

typedef void (*campaign_news_tell_t)(void *context, const char *description, const char *case_line,
                                     const char *executor);

/* What is in the database now is no news. */
status_t campaign_news_open(const char *database, campaign_news_t **out_news, failure_t *error);
void campaign_news_close(campaign_news_t *news); /* NULL is ignored. */

/* Calls `tell`, unless it is NULL, for each finding since the last call, in order. */
status_t campaign_news_tell(campaign_news_t *news, campaign_news_tell_t tell, void *context,
                            failure_t *error);

#endif

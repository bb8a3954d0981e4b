/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean": the name nearest to a misspelt one. */
#ifndef ASSAY_CLI_OPTIONS_SUGGEST_H
#define ASSAY_CLI_OPTIONS_SUGGEST_H

#include <stddef.h>

enum { SUGGESTION_BYTES = 160 };

typedef struct suggestion {
  const char *wanted;
  const char *nearest; /* NULL while nothing near was offered. */
  size_t distance;
} suggestion_t;

suggestion_t suggestion_make(const char *wanted);

/* Takes `name`, which must outlive the suggestion, if it is nearer than what was offered before. */
void suggestion_offer(suggestion_t *suggestion, const char *name);

/* "did you mean 'NAME'?", or `otherwise` if nothing is near.  Returns out_text. */
const char *suggestion_print(const suggestion_t *suggestion, const char *otherwise,
                             char out_text[SUGGESTION_BYTES]);

#endif

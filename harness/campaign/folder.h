/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a campaign, and where things are in it:
 *
 *   campaign.db       the database: everything that has been merged
 *   campaign.ini      what was asked for, and how far it has come (campaign/state.h)
 *   status.json       how it goes, for other programs (campaign/status.h)
 *   corpus/EXECUTOR/  cases worth mutating, one a file, as libFuzzer keeps them
 *   outcomes/EXECUTOR what those gave, where compiling is dear: a later slice does not run them
 * again workers/          databases and logs of slices that are running, or were when something
 * died crashes/EXECUTOR/ cases that took a worker along lock              held by the process that
 * runs the campaign
 *
 * Any database option takes such a folder for the database in it. */
#ifndef ASSAY_CAMPAIGN_FOLDER_H
#define ASSAY_CAMPAIGN_FOLDER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/status.h"

/* A path in the folder; the caller frees it. */
char *campaign_folder_database(const char *folder);
char *campaign_folder_state(const char *folder);
char *campaign_folder_status(const char *folder);
char *campaign_folder_workers(const char *folder);
char *campaign_folder_crashes(const char *folder);
char *campaign_folder_corpora(const char *folder);

/* The corpus of one executor: its name, with what no file name should hold written as "_", and a
 * hash that tells executors apart whose names are then alike. */
char *campaign_folder_corpus(const char *folder, const char *executor);

/* The file with what its cases gave (harness/search/outcome_file.h), called as the corpus is. */
char *campaign_folder_outcomes(const char *folder, const char *executor);

/* Removes these files: what they have holds for one campaign. */
void campaign_folder_forget_outcomes(const char *folder);

/* `path`, or the database in it if it is a folder; the caller frees it. */
char *campaign_database_path(const char *path);

/* Makes the folder and those in it.  STATUS_IO with what could not be made. */
status_t campaign_folder_make(const char *folder, failure_t *error);

/* Takes the lock for as long as the process lives.  STATUS_INVALID if another process has it. */
status_t campaign_folder_lock(const char *folder, failure_t *error);

/* Adds the corpora of another campaign: files that ours has not, by name (libFuzzer names them by
 * their contents).  *out_added counts them. */
status_t campaign_folder_merge_corpora(const char *folder, const char *source, uint64_t *out_added,
                                       failure_t *error);

#endif

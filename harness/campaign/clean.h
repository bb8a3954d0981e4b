/* SPDX-License-Identifier: Apache-2.0 */
/* Takes away what killed processes left half done in the folder of a campaign. */
#ifndef ASSAY_CAMPAIGN_CLEAN_H
#define ASSAY_CAMPAIGN_CLEAN_H

/* For the process that has the lock of the folder, before it starts workers.  Removes files that
 * were about to replace status.json, campaign.ini or a case of a corpus, corpora that were about to
 * be exchanged, and cases of which a part was written: libFuzzer names a case by its contents, so
 * that those show.  Databases of workers stay: they are merged.  What cannot be removed stays. */
void campaign_clean(const char *folder);

#endif

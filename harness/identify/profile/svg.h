/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as a picture: the terms in a column on the left, the result on the right, a circle for
 * every addition, coloured by its arithmetic.  Plain SVG 1.1 without scripts. */
#ifndef ASSAY_IDENTIFY_PROFILE_SVG_H
#define ASSAY_IDENTIFY_PROFILE_SVG_H

#include "harness/identify/profile/profile.h"

/* `title` and `subtitle` are plain text of one line each: whose profile, and what it is in words.
 */
void profile_svg(const profile_t *profile, const char *title, const char *subtitle,
                 GString *out_svg);

#endif

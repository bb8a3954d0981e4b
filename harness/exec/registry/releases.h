/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of a package: how their numbers compare, and which ones the index has. */
#ifndef ASSAY_EXEC_REGISTRY_RELEASES_H
#define ASSAY_EXEC_REGISTRY_RELEASES_H

#include <glib.h>
#include <stdbool.h>

#include "harness/base/status.h"

/* Below, equal to or above 0 as `a` comes before, is or comes after `b` by PEP 440, of versions
 * without an epoch: 1.9 < 1.10rc1 < 1.10 = 1.10.0 < 1.10.0+cpu < 1.10.1. */
int release_compare(const char *a, const char *b);

/* Whether a text can be a version at all: digits first, and of letters, digits and ". + - _ !". */
bool release_is_well_formed(const char *version);

/* Whether it is one for trying out: an alpha, beta, candidate or development release. */
bool release_is_early(const char *version);

/* The releases of the package for which the index has binary packages that suit that Python, in
 * ascending order; freed with g_ptr_array_unref().  STATUS_IO if the index, as pip is configured,
 * cannot be asked or has none. */
status_t releases_of(const char *python, const char *package, GPtrArray **out_releases,
                     failure_t *error);

/* The one that `version` means, borrowed of `releases`: "1.24" means 1.24.0.  STATUS_INVALID, with
 * the nearest that there are, if it is none. */
status_t releases_find(const GPtrArray *releases, const char *package, const char *version,
                       const char **out_release, failure_t *error);

#endif

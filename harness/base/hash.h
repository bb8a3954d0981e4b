/* SPDX-License-Identifier: Apache-2.0 */
/* 128-bit content hashes (XXH3, whose values are fixed since xxHash 0.8.0), printed as 32 hex
 * digits.  They are keys in databases: never change what goes into one. */
#ifndef ASSAY_BASE_HASH_H
#define ASSAY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_TEXT_BYTES = 33 };

typedef struct hash_text {
  char text[HASH_TEXT_BYTES]; /* NUL-terminated. */
} hash_text_t;

hash_text_t hash_of(const void *data, size_t size);

/* The same hash as numbers, where it is only compared. */
typedef struct digest {
  uint64_t high;
  uint64_t low;
} digest_t;

digest_t digest_of(const void *data, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Thin wrapper over XXH3 that fixes the digest's byte order and text format. */
#include "harness/base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

digest_t digest_of(const void *data, size_t size) {
  XXH128_hash_t hash = XXH3_128bits(data, size);
  return (digest_t){.high = hash.high64, .low = hash.low64};
}

hash_text_t hash_of(const void *data, size_t size) {
  digest_t digest = digest_of(data, size);
  hash_text_t text;
  snprintf(text.text, sizeof text.text, "%016" PRIx64 "%016" PRIx64, digest.high, digest.low);
  return text;
}

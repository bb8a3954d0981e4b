#include "harness/base/hash.h"

#include <stdio.h>
#include <xxhash.h>

hash_text_t hash_of(const void *data, size_t size) {
  XXH128_hash_t hash = XXH3_128bits(data, size);
  hash_text_t text;
  snprintf(text.text, sizeof text.text, "%016llx%016llx", (unsigned long long)hash.high64,
           (unsigned long long)hash.low64);
  return text;
}

/* Which ops a row of canaries.def, expected_causes.def, ... is about: names joined by commas; a
 * name that ends in '.' or '_' stands for all that begin so. */
#ifndef ASSAY_TESTS_CANARY_OPS_H
#define ASSAY_TESTS_CANARY_OPS_H

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* The ops that most faults of sums were planted for. */
#define SUMS "stablehlo.reduce,stablehlo.dot_general"

static inline bool canary_concerns(const char *ops, const char *name) {
  for (const char *word = ops; *word != '\0';) {
    size_t size = strcspn(word, ",");
    bool is_beginning = size > 0 && strchr("._", word[size - 1]) != NULL;
    bool is_long_enough = is_beginning ? strlen(name) >= size : strlen(name) == size;
    if (is_long_enough && memcmp(word, name, size) == 0) return true;
    word += size + (word[size] == ',' ? 1 : 0);
  }
  return false;
}

#endif

#include "oracles/oracle.h"

#include <string.h>

/* Generated from the folders: oracles/ops/row_table.c.in. */
extern const oracle_t *const *const oracle_families[];

const oracle_t *oracle_find(const op_t *op) {
  for (const oracle_t *const *const *family = oracle_families; *family != NULL; family++) {
    for (const oracle_t *const *row = *family; *row != NULL; row++) {
      if (strcmp((*row)->op_name, op->name) == 0) return *row;
    }
  }
  return NULL;
}

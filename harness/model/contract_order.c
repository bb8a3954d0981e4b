/* SPDX-License-Identifier: Apache-2.0 */
/* Contracts between others: permission by permission, as far as their values are ordered. */
#include <string.h>

#include "harness/model/contract.h"

contract_t contract_tightened(const contract_t *contract, const contract_t *other) {
  contract_t between = *contract;
  for (size_t i = 0; i < contract_permission_count(); i++) {
    const char *name = contract_permission_name(i);
    if (contract_value_permits(name, contract->values[i], other->values[i])) {
      between.values[i] = other->values[i];
    }
  }
  return between;
}

contract_t contract_loosened(const contract_t *contract, const contract_t *other) {
  contract_t between = *contract;
  for (size_t i = 0; i < contract_permission_count(); i++) {
    const char *name = contract_permission_name(i);
    if (contract_value_permits(name, other->values[i], contract->values[i])) {
      between.values[i] = other->values[i];
    }
  }
  return between;
}

bool contract_equal(const contract_t *a, const contract_t *b) {
  return memcmp(a->values, b->values, sizeof a->values) == 0;
}

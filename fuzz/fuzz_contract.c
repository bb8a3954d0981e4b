/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: whatever text comes, contract_parse() does not crash, and the contract that it gives
 * is found again in both of its printed forms. */
#include "harness/model/contract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const contract_t *contract, const GString *printed) {
  contract_t again;
  status_t status = contract_parse((str_t){printed->str, printed->len}, &again, NULL);
  g_assert(status == STATUS_OK && memcmp(&again, contract, sizeof again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  contract_t contract;
  failure_t error = {.column = 0};
  str_t text = {.data = (const char *)data, .size = size};
  if (contract_parse(text, &contract, &error) == STATUS_OK) {
    GString *printed = g_string_new(NULL);
    contract_print(&contract, printed);
    check_again(&contract, printed);
    g_string_truncate(printed, 0);
    contract_print_short(&contract, printed);
    check_again(&contract, printed);
    g_string_free(printed, TRUE);
  } else {
    g_assert(error.text[0] != '\0');
  }
  return 0;
}

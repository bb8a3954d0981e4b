/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, contracts, and the names that both know. */
#include "harness/api/handles.h"
#include "oracles/exact/thread_state.h"

/* ---- Contexts -------------------------------------------------------------------------------- */

int32_t assay_context_new(assay_context_t **out_context, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  if (out_context == NULL)
    return call_end(&call, fail_null(&call, "out_context", "give where the context goes"));
  if (!exact_state_is_by_thread()) {
    return call_end(&call, status_fail(&call.failure, STATUS_IO,
                                       "this MPFR library keeps its state for all threads "
                                       "together; install one that is built thread-safe"));
  }
  assay_context_t *context = g_new0(assay_context_t, 1);
  atomic_flag_clear(&context->is_busy);
  arena_init(&context->arena);
  const contract_t contract = contract_backend();
  case_runner_init(&context->walk, &contract, 1);
  *out_context = context;
  return call_end(&call, STATUS_OK);
}

void assay_context_free(assay_context_t *context) {
  if (context == NULL) return;
  arena_deinit(&context->arena);
  g_free(context);
  exact_state_forget();
}

status_t context_take(call_t *call, assay_context_t *context) {
  if (context == NULL) {
    return fail_null(call, "context", "make one with assay_context_new() for each thread");
  }
  if (atomic_flag_test_and_set(&context->is_busy)) {
    return status_fail(&call->failure, STATUS_INVALID,
                       "another call uses this context; make one with assay_context_new() for each "
                       "thread, and for calls from a function that Assay calls");
  }
  arena_reset(&context->arena);
  return STATUS_OK;
}

void context_give_back(assay_context_t *context) { atomic_flag_clear(&context->is_busy); }

/* ---- Contracts ------------------------------------------------------------------------------- */

contract_t contract_of(const assay_contract_t *contract) {
  return contract == NULL ? contract_backend() : contract->contract;
}

static status_t check_contract(call_t *call, const contract_t *contract) {
  if (PERMITTED(contract, bits) != BITS_IDENTIFIED) return STATUS_OK;
  return status_fail(&call->failure, STATUS_INVALID,
                     "contract identified is about an executor, which a library has not; use "
                     "`assay replay`");
}

static void print_contract(assay_contract_t *contract) {
  g_autoptr(GString) text = g_string_new(NULL);
  contract_print_short(&contract->contract, text);
  g_free(contract->text);
  contract->text = g_strdup(text->str);
}

static status_t new_contract(call_t *call, const char *text, assay_contract_t **out_contract) {
  if (out_contract == NULL) return fail_null(call, "out_contract", "give where the contract goes");
  contract_t contract = contract_backend();
  if (text != NULL) STATUS_TRY(contract_parse(str_from(text), &contract, &call->failure));
  STATUS_TRY(check_contract(call, &contract));
  *out_contract = g_new0(assay_contract_t, 1);
  (*out_contract)->contract = contract;
  print_contract(*out_contract);
  return STATUS_OK;
}

int32_t assay_contract_new(const char *text, assay_contract_t **out_contract,
                           assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, new_contract(&call, text, out_contract));
}

void assay_contract_free(assay_contract_t *contract) {
  if (contract == NULL) return;
  g_free(contract->text);
  g_free(contract);
}

static status_t check_permission(call_t *call, const void *contract, const char *permission) {
  if (contract == NULL) return fail_null(call, "contract", "make one with assay_contract_new()");
  if (permission == NULL) return fail_null(call, "permission", "name one, such as \"ftz\"");
  for (size_t i = 0; i < contract_permission_count(); i++) {
    if (g_str_equal(contract_permission_name(i), permission)) return STATUS_OK;
  }
  return status_fail(&call->failure, STATUS_INVALID,
                     "there is no permission '%.60s'; assay_permission_name() lists them",
                     permission);
}

/* By the text, whose parser knows what fits. */
static status_t set_permission(call_t *call, assay_contract_t *contract, const char *permission,
                               const char *value) {
  STATUS_TRY(check_permission(call, contract, permission));
  if (value == NULL) return fail_null(call, "value", "give one of the permission's values");
  g_autoptr(GString) known = g_string_new(NULL);
  for (uint8_t i = 0; i < contract_value_count(permission); i++) {
    const char *spelling = contract_spelling(permission, i);
    g_string_append_printf(known, "%s%s", i == 0 ? "" : ", ", spelling);
    if (!g_str_equal(spelling, value)) continue;
    contract_t changed = contract->contract;
    contract_set_value(&changed, permission, i);
    STATUS_TRY(check_contract(call, &changed));
    contract->contract = changed;
    print_contract(contract);
    return STATUS_OK;
  }
  return status_fail(&call->failure, STATUS_INVALID, "%s has no value '%.60s'; it has %.300s",
                     permission, value, known->str);
}

int32_t assay_contract_set(assay_contract_t *contract, const char *permission, const char *value,
                           assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, set_permission(&call, contract, permission, value));
}

static status_t get_permission(call_t *call, const assay_contract_t *contract,
                               const char *permission, const char **out_value) {
  STATUS_TRY(check_permission(call, contract, permission));
  if (out_value == NULL) return fail_null(call, "out_value", "give where the value goes");
  *out_value = contract_spelling(permission, contract_value(&contract->contract, permission));
  return STATUS_OK;
}

int32_t assay_contract_get(const assay_contract_t *contract, const char *permission,
                           const char **out_value, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, get_permission(&call, contract, permission, out_value));
}

const char *assay_contract_text(const assay_contract_t *contract) {
  return contract == NULL ? NULL : contract->text;
}

/* ---- Names ----------------------------------------------------------------------------------- */

const char *assay_permission_name(size_t index) {
  return index < contract_permission_count() ? contract_permission_name(index) : NULL;
}

const char *assay_op_name(size_t index) {
  const op_t *const *ops = op_all();
  size_t count = 0;
  while (ops[count] != NULL && count < index) count++;
  return ops[count] == NULL ? NULL : ops[count]->name;
}

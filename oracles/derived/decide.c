/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle functions of derived ops: forwards each question to the other op's oracle, and copies
 * elements between the results of a part and those of the whole. */
#include "oracles/derived/derived.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "oracles/derived/parts.h"

/* One by one, by places; of a size that the compiler knows. */
#define COPY_ELEMENTS(bytes)                                                       \
  do {                                                                             \
    for (size_t i = 0; i < part->element_count; i++) {                             \
      uint8_t *in_whole = whole + part->elements[i] * (bytes);                     \
      uint8_t *in_part = own + i * (bytes);                                        \
      memcpy(to_part ? in_part : in_whole, to_part ? in_whole : in_part, (bytes)); \
    }                                                                              \
  } while (0)

static void copy_result(const derived_part_t *part, bool to_part, size_t bytes, uint8_t *whole,
                        uint8_t *own) {
  switch (bytes) {
    case 1:
      COPY_ELEMENTS(1);
      break;
    case 2:
      COPY_ELEMENTS(2);
      break;
    case 4:
      COPY_ELEMENTS(4);
      break;
    case 8:
      COPY_ELEMENTS(8);
      break;
    default:
      COPY_ELEMENTS(bytes);
      break;
  }
}

/* Moves the elements of a part between the results of the case and those of the part. */
static void copy_elements(const derived_part_t *part, bool to_part, tensor_t *results,
                          tensor_t *part_results) {
  for (uint32_t r = 0; r < part->instance.program.result_count; r++) {
    copy_result(part, to_part, element_bytes(results[r].type.element), results[r].data,
                part_results[r].data);
  }
}

static void make_part_results(const derived_part_t *part, const tensor_t *results, arena_t *arena,
                              tensor_t out_results[CASE_RESULTS_MAX]) {
  const program_t *program = &part->instance.program;
  tensor_t whole[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < program->result_count; r++) {
    whole[r] = results[r]; /* Only read, though the copy's type cannot say so. */
    out_results[r] = tensor_make(arena, &program->results[r]);
  }
  copy_elements(part, true, whole, out_results);
}

static answer_t answer_of_anything(void) {
  answer_t answer = {.conforms = true, .is_vacuous = true};
  g_strlcpy(answer.expected, "anything: the specification leaves it open", sizeof answer.expected);
  return answer;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* Takes over one element of all results: who decides about it reads no others. */
static void take_element(const tensor_t *whole, size_t element, uint32_t result_count, size_t place,
                         tensor_t *inout_results) {
  for (uint32_t r = 0; r < result_count; r++) {
    size_t bytes = element_bytes(whole[r].type.element);
    memcpy(inout_results[r].data + place * bytes, whole[r].data + element * bytes, bytes);
  }
}

static status_t decide_variant(const oracle_call_t *call, const derived_variant_t *variant,
                               uint32_t result, size_t component, answer_t *out_answer) {
  const derived_t *derived = &variant->derived;
  const type_t *type = &call->instance->program.results[result];
  size_t part_component = 0;
  const derived_part_t *part = derived_find(derived, type, component, &part_component);
  if (part == NULL) {
    *out_answer = answer_of_anything();
    return STATUS_OK;
  }
  derived_memory_t *memory =
      derived_remember_part(part, &call->memo->arena, &variant->parts[part - derived->parts.parts]);
  uint32_t components = type->element->components;
  take_element(call->results, component / components, part->instance.program.result_count,
               part_component / components, memory->results);
  oracle_call_t part_call = oracle_call_about_part(call, &part->instance, memory->results);
  /* The memo's arena is shared; each has entries of its own. */
  void *own_entries = call->memo->entries;
  part_call.memo = call->memo;
  part_call.memo->entries = memory->entries;
  status_t status = derived->oracle->decide(&part_call, result, part_component, out_answer);
  memory->entries = part_call.memo->entries;
  part_call.memo->entries = own_entries;
  return status;
}

/* What conforms if the element shares its value with no other. */
static status_t ask_alone(const oracle_call_t *call, uint32_t result, size_t component,
                          answer_t *out_answer) {
  const gathering_t *gathering = oracle_find(call->instance->program.op)->gathering;
  uint32_t count = 1;
  for (uint32_t i = 0; i < count; i++) {
    derived_variant_t *variant;
    STATUS_TRY(derived_find_variant(call, i, count, &variant));
    answer_t answer;
    STATUS_TRY(decide_variant(call, variant, result, component, &answer));
    if (i == 0 || answer.conforms) *out_answer = answer;
    if (answer.conforms) {
      if (i > 0 && gathering->name_variant != NULL) {
        g_strlcpy(out_answer->observed, gathering->name_variant(i), sizeof out_answer->observed);
      }
      return STATUS_OK;
    }
    if (i == 0) count = derived_count_variants(call, gathering);
  }
  return STATUS_OK;
}

/* One value: equal patterns, or two NaN, whose patterns the specification leaves open. */
static bool is_one_value(const element_t *element, const contract_t *contract, uint64_t a,
                         uint64_t b) {
  if (a == b) return true;
  if (element->format == NULL) return false;
  double first = format_to_double(element->format, a),
         second = format_to_double(element->format, b);
  if (isnan(first) && isnan(second)) return true;
  return PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY && first == 0 && second == 0;
}

static void answer_unlike(const element_t *element, uint64_t bits, size_t sharer,
                          answer_t *inout_answer) {
  int digits = (element->bits + 3) / 4;
  inout_answer->conforms = false;
  inout_answer->observed[0] = '\0';
  g_snprintf(inout_answer->expected, sizeof inout_answer->expected,
             "0x%0*" PRIx64 " as in element %zu, whose value this one shares", digits, bits,
             sharer);
}

/* Holds a component that conforms against the first of those before it that share its value and
 * conform: if any of these is wrong, that is not held against the others.  Where all values
 * conform, nothing is known of any. */
static status_t ask_sharers(const oracle_call_t *call, const size_t *leaders, uint32_t result,
                            size_t component, answer_t *inout_answer) {
  const element_t *element = call->results[result].type.element;
  uint64_t bits = element_load(element, call->results[result].data, component);
  size_t own = component / element->components;
  for (size_t sharer = leaders[own]; sharer < own; sharer++) {
    if (leaders[sharer] != leaders[own]) continue;
    size_t other = sharer * element->components + component % element->components;
    uint64_t other_bits = element_load(element, call->results[result].data, other);
    if (is_one_value(element, call->contract, bits, other_bits)) return STATUS_OK;
    answer_t answer;
    STATUS_TRY(ask_alone(call, result, other, &answer));
    if (!answer.conforms) continue;
    answer_unlike(element, other_bits, sharer, inout_answer);
    return STATUS_OK;
  }
  return STATUS_OK;
}

static status_t decide_remembering(const oracle_call_t *call, uint32_t result, size_t component,
                                   answer_t *out_answer) {
  const gathering_t *gathering = oracle_find(call->instance->program.op)->gathering;
  STATUS_TRY(ask_alone(call, result, component, out_answer));
  if (!out_answer->conforms || out_answer->is_vacuous) return STATUS_OK;
  const size_t *leaders = derived_leaders(call, gathering);
  if (leaders == NULL) return STATUS_OK;
  return ask_sharers(call, leaders, result, component, out_answer);
}

status_t derived_ask(const oracle_call_t *call, uint32_t result, size_t component,
                     answer_t *out_answer) {
  return oracle_decide_with_memo(decide_remembering, call, result, component, out_answer);
}

/* An implementation that does as it should computes a shared value once. */
static void share_values(const case_t *instance, arena_t *arena, tensor_t *inout_results) {
  const gathering_t *gathering = oracle_find(instance->program.op)->gathering;
  if (gathering->leaders == NULL) return;
  const contract_t contract = contract_spec();
  const size_t *leaders = gathering->leaders(&instance->program, &contract, arena);
  for (uint32_t r = 0; r < instance->program.result_count && leaders != NULL; r++) {
    tensor_t *tensor = &inout_results[r];
    size_t bytes = element_bytes(tensor->type.element);
    size_t count = type_element_count(&tensor->type);
    for (size_t i = 0; i < count; i++) {
      memmove(tensor->data + i * bytes, tensor->data + leaders[i] * bytes, bytes);
    }
  }
}

status_t derived_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                          tensor_t *inout_results) {
  derived_t derived;
  STATUS_TRY(derived_make(call->instance, 0, schedule->fault, call->arena, &derived, call->error));
  for (size_t p = 0; p < derived.parts.count; p++) {
    const derived_part_t *part = &derived.parts.parts[p];
    tensor_t part_results[CASE_RESULTS_MAX];
    make_part_results(part, inout_results, call->arena, part_results);
    const oracle_call_t part_call = oracle_call_about_part(call, &part->instance, NULL);
    STATUS_TRY(derived.oracle->simulate(&part_call, schedule, part_results));
    copy_elements(part, false, inout_results, part_results);
  }
  if (schedule->fault == FAULT_NONE) share_values(call->instance, call->arena, inout_results);
  return STATUS_OK;
}

status_t derived_find_formula(const oracle_call_t *call, const accept_t *accepts,
                              uint8_t *out_formula, bool *out_found) {
  (void)accepts; /* The parts' sets are made anew: each is needed for one part alone. */
  derived_t derived;
  STATUS_TRY(derived_make(call->instance, 0, FAULT_NONE, call->arena, &derived, call->error));
  *out_formula = 0;
  *out_found = true;
  for (size_t p = 0; p < derived.parts.count && *out_found; p++) {
    const derived_part_t *part = &derived.parts.parts[p];
    tensor_t part_results[CASE_RESULTS_MAX];
    make_part_results(part, call->results, call->arena, part_results);
    uint8_t formula = 0;
    const oracle_call_t part_call = oracle_call_about_part(call, &part->instance, part_results);
    STATUS_TRY(derived.oracle->find_formula(&part_call, NULL, &formula, out_found));
    *out_formula = MAX(*out_formula, formula);
  }
  return STATUS_OK;
}

/* The names of "A|B|C" that are in another such set too, in their order. */
static void keep_common(GString *names, const char *others) {
  g_auto(GStrv) each = g_strsplit(names->str, "|", -1);
  g_auto(GStrv) known = g_strsplit(others, "|", -1);
  g_string_truncate(names, 0);
  for (char **name = each; *name != NULL; name++) {
    if (!g_strv_contains((const char *const *)known, *name)) continue;
    g_string_append_printf(names, "%s%s", names->len == 0 ? "" : "|", *name);
  }
}

status_t derived_consistent(const oracle_call_t *call, GString *out_names) {
  derived_t derived;
  STATUS_TRY(derived_make(call->instance, 0, FAULT_NONE, call->arena, &derived, call->error));
  if (derived.parts.count == 0) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "nothing was computed");
  }
  for (size_t p = 0; p < derived.parts.count && (p == 0 || out_names->len > 0); p++) {
    const derived_part_t *part = &derived.parts.parts[p];
    arena_mark_t mark = arena_mark(call->arena);
    tensor_t part_results[CASE_RESULTS_MAX];
    make_part_results(part, call->results, call->arena, part_results);
    const oracle_call_t part_call = oracle_call_about_part(call, &part->instance, part_results);
    g_autoptr(GString) names = g_string_new(NULL);
    status_t status = derived.oracle->consistent(&part_call, names);
    arena_rewind(call->arena, mark);
    STATUS_TRY(status);
    if (p == 0) {
      g_string_append(out_names, names->str);
    } else {
      keep_common(out_names, names->str);
    }
  }
  return STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all permissions, joined from a general list and one per op folder; parses and
 * prints contracts and compares their values by level, since a higher level permits more. */
#include "harness/model/contract.h"

/* A row of a table of permissions. */
typedef struct permission {
  const char *name;
  const char *spellings; /* "none<inputs|outputs<both", in the order of the values. */
  uint8_t spec_value;
  uint8_t backend_value;
  const char *summary;
  unsigned more; /* MORE_TIGHTER, and the value in "wide" plus 1, or 0 if that is of "backend". */
} permission_t;

enum { MORE_TIGHTER = 0x100 };

/* By index: those of permissions.def, then those of folders in their order. */
static const permission_t permissions[] = {
#define BLAME(...)
#define MODELS_HOLD(...)
#define BACKEND_IS_TIGHTER +MORE_TIGHTER
#define WIDE(value) +(value) + 1
#define PERMISSION(name, spellings, spec, backend, summary, ...) \
  {#name, spellings, spec, backend, summary, 0 __VA_ARGS__},
#include "harness/model/permissions.def"

#include "generated/all_permissions.def"
#undef PERMISSION
#undef WIDE
#undef BACKEND_IS_TIGHTER
#undef MODELS_HOLD
#undef BLAME
};
_Static_assert(G_N_ELEMENTS(permissions) <= CONTRACT_PERMISSIONS_MAX, "make the array larger");

enum folder_permission_index {
  BEFORE_PERMISSIONS_OF_FOLDERS = PERMISSIONS_OF_NO_FOLDER - 1,
#define PERMISSION(name, ...) INDEX_##name,
#include "generated/all_permissions.def"
#undef PERMISSION
};

#define PERMISSION(name, ...) \
  PERMISSION_DECLARE(name)    \
  const uint8_t PERMISSION_##name = INDEX_##name;
#include "generated/all_permissions.def"
#undef PERMISSION

static uint8_t *field_of(contract_t *contract, const permission_t *permission) {
  return &contract->values[permission - permissions];
}

static uint8_t value_of(const contract_t *contract, const permission_t *permission) {
  return contract->values[permission - permissions];
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* A walk over the values of a permission. */
typedef struct values {
  scan_t scan;
  str_t spelling;
  int level; /* Values of one level are alternatives; those of a higher one are looser. */
} values_t;

static values_t values_make(const permission_t *permission) {
  values_t values = {.scan = scan_make(str_from(permission->spellings)), .level = 0};
  values.spelling = scan_until(&values.scan, "|<>");
  return values;
}

/* False if that was the last. */
static bool values_next(values_t *values) {
  if (scan_accept(&values->scan, "<")) {
    values->level++;
  } else if (scan_accept(&values->scan, ">")) {
    values->level--;
  } else if (!scan_accept(&values->scan, "|")) {
    return false;
  }
  values->spelling = scan_until(&values->scan, "|<>");
  return true;
}

static values_t value_at(const permission_t *permission, uint8_t value) {
  values_t values = values_make(permission);
  for (uint8_t i = 0; i < value; i++) {
    bool has_next = values_next(&values);
    g_assert(has_next);
  }
  return values;
}

/* The spelling of a value of a permission. */
static str_t spelling_of(const permission_t *permission, uint8_t value) {
  return value_at(permission, value).spelling;
}

static bool permits(const permission_t *permission, uint8_t looser, uint8_t value) {
  return looser == value || value_at(permission, looser).level > value_at(permission, value).level;
}

/* "none|inputs|outputs|both". */
static void print_spellings(const permission_t *permission, GString *out_text) {
  values_t values = values_make(permission);
  do {
    bool is_first = values.spelling.data == permission->spellings;
    g_string_append_printf(out_text, "%s%.*s", is_first ? "" : "|", STR_FORMAT(values.spelling));
  } while (values_next(&values));
}

/* ---- The contracts --------------------------------------------------------------------------- */

/* In "wide". */
static uint8_t wide_value(const permission_t *permission) {
  unsigned value = permission->more % MORE_TIGHTER;
  return value == 0 ? permission->backend_value : (uint8_t)(value - 1);
}

contract_t contract_spec(void) {
  contract_t contract = {{0}};
  for (size_t i = 0; i < G_N_ELEMENTS(permissions); i++) {
    *field_of(&contract, &permissions[i]) = permissions[i].spec_value;
  }
  return contract;
}

contract_t contract_wide(void) {
  contract_t contract = {{0}};
  for (size_t i = 0; i < G_N_ELEMENTS(permissions); i++) {
    *field_of(&contract, &permissions[i]) = wide_value(&permissions[i]);
  }
  return contract;
}

contract_t contract_backend(void) {
  contract_t contract = {{0}};
  for (size_t i = 0; i < G_N_ELEMENTS(permissions); i++) {
    *field_of(&contract, &permissions[i]) = permissions[i].backend_value;
  }
  return contract;
}

contract_t contract_identified(void) {
  contract_t contract = contract_backend();
  PERMITTED(&contract, bits) = BITS_IDENTIFIED;
  return contract;
}

/* The contracts that have names; of contracts as near as one another the first is the one that is
 * printed. */
static const struct base {
  const char *name;
  contract_t (*make)(void);
} bases[] = {{"backend", contract_backend},
             {"spec", contract_spec},
             {"wide", contract_wide},
             {"identified", contract_identified}};
#define NAMES_OF_BASES "spec, backend, wide and identified"

static bool find_base(str_t name, contract_t *out_contract) {
  for (size_t i = 0; i < G_N_ELEMENTS(bases); i++) {
    if (!str_equal_text(name, bases[i].name)) continue;
    *out_contract = bases[i].make();
    return true;
  }
  return false;
}

/* ---- Setting permissions --------------------------------------------------------------------- */

static status_t find_permission(str_t key, const permission_t **out_permission, failure_t *error) {
  for (size_t i = 0; i < G_N_ELEMENTS(permissions); i++) {
    if (!str_equal_text(key, permissions[i].name)) continue;
    *out_permission = &permissions[i];
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "no permission is called \"%.*s\"; `assay help` lists them all",
                     (int)MIN(key.size, 40), key.data);
}

static status_t set_permission(contract_t *contract, str_t key, str_t value, failure_t *error) {
  const permission_t *permission;
  STATUS_TRY(find_permission(key, &permission, error));
  values_t values = values_make(permission);
  uint8_t index = 0;
  do {
    if (str_equal(values.spelling, value)) {
      *field_of(contract, permission) = index;
      return STATUS_OK;
    }
    index++;
  } while (values_next(&values));
  g_autoptr(GString) spellings = g_string_new(NULL);
  print_spellings(permission, spellings);
  return status_fail(error, STATUS_INVALID, "%s=%.*s: the value is one of %s", permission->name,
                     (int)MIN(value.size, 40), value.data, spellings->str);
}

/* One word of a contract: "key=value", or a base if it is the first word. */
static status_t apply_word(contract_t *contract, str_t word, bool is_first, failure_t *error) {
  if (is_first && find_base(word, contract)) return STATUS_OK;
  scan_t scan = scan_make(word);
  str_t key = scan_until(&scan, "=");
  if (!scan_accept(&scan, "=")) {
    return status_fail(error, STATUS_INVALID, "\"%.*s\" is not key=value%s",
                       (int)MIN(word.size, 40), word.data,
                       is_first ? ", and no contract but " NAMES_OF_BASES " has a name" : "");
  }
  str_t value = {.data = scan.cursor, .size = (size_t)(scan.end - scan.cursor)};
  return set_permission(contract, key, value, error);
}

status_t contract_parse(str_t text, contract_t *out_contract, failure_t *error) {
  contract_t contract = contract_backend();
  scan_t scan = scan_make(text);
  bool is_first = true;
  do {
    STATUS_TRY(apply_word(&contract, scan_until(&scan, ","), is_first, error));
    is_first = false;
  } while (scan_accept(&scan, ","));
  *out_contract = contract;
  return STATUS_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Applies the keys of group [contract], but `base`, which was applied before. */
static status_t apply_keys(GKeyFile *file, contract_t *contract, failure_t *error) {
  g_auto(GStrv) keys = g_key_file_get_keys(file, "contract", NULL, NULL);
  for (char **key = keys; *key != NULL; key++) {
    if (strcmp(*key, "base") == 0) continue;
    g_autofree char *value = g_key_file_get_value(file, "contract", *key, NULL);
    STATUS_TRY(set_permission(contract, str_from(*key), str_from(value), error));
  }
  return STATUS_OK;
}

static status_t apply_file(GKeyFile *file, contract_t *contract, failure_t *error) {
  if (!g_key_file_has_group(file, "contract")) {
    return status_fail(error, STATUS_INVALID, "there is no group [contract]");
  }
  *contract = contract_backend();
  g_autofree char *base = g_key_file_get_value(file, "contract", "base", NULL);
  if (base != NULL && !find_base(str_from(base), contract)) {
    return status_fail(error, STATUS_INVALID, "base = %.40s: bases are " NAMES_OF_BASES, base);
  }
  return apply_keys(file, contract, error);
}

status_t contract_read_file(const char *path, contract_t *out_contract, failure_t *error) {
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autoptr(GError) load_error = NULL;
  if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, &load_error)) {
    return status_fail(error, STATUS_INVALID, "%s: %s", path, load_error->message);
  }
  contract_t contract;
  failure_t reason;
  if (apply_file(file, &contract, &reason) != STATUS_OK) {
    return status_fail(error, STATUS_INVALID, "%.200s: %.300s", path, reason.text);
  }
  *out_contract = contract;
  return STATUS_OK;
}

/* ---- Single permissions ---------------------------------------------------------------------- */

static const permission_t *require_permission(const char *name) {
  const permission_t *permission = NULL;
  status_t status = find_permission(str_from(name), &permission, NULL);
  g_assert(status == STATUS_OK);
  return permission;
}

uint8_t contract_value(const contract_t *contract, const char *permission) {
  return value_of(contract, require_permission(permission));
}

void contract_set_value(contract_t *contract, const char *permission, uint8_t value) {
  *field_of(contract, require_permission(permission)) = value;
}

uint8_t contract_value_count(const char *permission) {
  values_t values = values_make(require_permission(permission));
  uint8_t count = 1;
  while (values_next(&values)) count++;
  return count;
}

bool contract_value_permits(const char *permission, uint8_t looser, uint8_t value) {
  return permits(require_permission(permission), looser, value);
}

uint8_t contract_value_spelled(const char *permission, const char *spelling) {
  values_t values = values_make(require_permission(permission));
  uint8_t value = 0;
  while (!str_equal_text(values.spelling, spelling)) {
    bool has_next = values_next(&values);
    g_assert(has_next);
    value++;
  }
  return value;
}

size_t contract_permission_count(void) { return G_N_ELEMENTS(permissions); }

const char *contract_permission_name(size_t index) { return permissions[index].name; }

const char *contract_spelling(const char *permission, uint8_t value) {
  str_t spelling = spelling_of(require_permission(permission), value);
  g_autofree char *text = g_strndup(spelling.data, spelling.size);
  return g_intern_string(text);
}

/* ---- Printing -------------------------------------------------------------------------------- */

void contract_print(const contract_t *contract, GString *out_text) {
  for (size_t i = 0; i < G_N_ELEMENTS(permissions); i++) {
    str_t value = spelling_of(&permissions[i], value_of(contract, &permissions[i]));
    g_string_append_printf(out_text, "%s%s=%.*s", i == 0 ? "" : ",", permissions[i].name,
                           STR_FORMAT(value));
  }
}

static size_t count_differences(const contract_t *a, const contract_t *b) {
  size_t count = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(permissions); i++) {
    count += value_of(a, &permissions[i]) != value_of(b, &permissions[i]);
  }
  return count;
}

void contract_print_short(const contract_t *contract, GString *out_text) {
  const struct base *best = NULL;
  contract_t nearest = {{0}};
  for (const struct base *base = bases; base < bases + G_N_ELEMENTS(bases); base++) {
    contract_t named = base->make();
    if (best != NULL &&
        count_differences(contract, &named) >= count_differences(contract, &nearest))
      continue;
    best = base;
    nearest = named;
  }
  g_string_append(out_text, best->name);
  for (size_t i = 0; i < G_N_ELEMENTS(permissions); i++) {
    uint8_t value = value_of(contract, &permissions[i]);
    if (value == value_of(&nearest, &permissions[i])) continue;
    str_t spelling = spelling_of(&permissions[i], value);
    g_string_append_printf(out_text, ",%s=%.*s", permissions[i].name, STR_FORMAT(spelling));
  }
}

void contract_print_help(GString *out_text) {
  for (size_t i = 0; i < G_N_ELEMENTS(permissions); i++) {
    const permission_t *permission = &permissions[i];
    str_t spec = spelling_of(permission, permission->spec_value);
    str_t backend = spelling_of(permission, permission->backend_value);
    g_string_append_printf(out_text, "  %s=", permission->name);
    print_spellings(permission, out_text);
    g_string_append_printf(out_text, "  %s (spec: %.*s; backend: %.*s", permission->summary,
                           STR_FORMAT(spec), STR_FORMAT(backend));
    str_t wide = spelling_of(permission, wide_value(permission));
    bool is_told = wide_value(permission) != permission->backend_value;
    if (is_told) g_string_append_printf(out_text, "; wide: %.*s", STR_FORMAT(wide));
    g_string_append(out_text, ")\n");
  }
}

bool contract_is_exception(const char *permission) {
  return (require_permission(permission)->more & MORE_TIGHTER) != 0;
}

void contract_print_exceptions(GString *out_text) {
  for (size_t i = 0; i < G_N_ELEMENTS(permissions); i++) {
    const permission_t *permission = &permissions[i];
    if (permits(permission, permission->backend_value, permission->spec_value)) continue;
    bool is_tighter = permits(permission, permission->spec_value, permission->backend_value);
    str_t spec = spelling_of(permission, permission->spec_value);
    str_t backend = spelling_of(permission, permission->backend_value);
    g_string_append_printf(
        out_text, "  %s: %.*s in spec, %.*s in backend; %s\n", permission->name, STR_FORMAT(spec),
        STR_FORMAT(backend),
        is_tighter ? "the specification says nothing here, and backend expects what practice "
                     "agrees on"
                   : "whose rules hold says which programs are valid");
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which row of a table a region is: target.h has the definition. */
#include <inttypes.h>

#include "harness/quant/target/target.h"

/* ---- Parameters and a port ------------------------------------------------------------------- */

static status_t check_range_within(const quant_signature_port_t *port, const quant_spec_t *spec,
                                   failure_t *error) {
  bool is_within = spec->storage_min >= port->storage_min && spec->storage_max <= port->storage_max;
  if (is_within) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "%s takes storage values %" PRId64 ":%" PRId64 ", not %" PRId64 ":%" PRId64,
                     port->name, port->storage_min, port->storage_max, spec->storage_min,
                     spec->storage_max);
}

status_t quant_port_admits(const quant_signature_port_t *port, const quant_spec_t *spec,
                           failure_t *error) {
  if (port->kind == QUANT_PORT_FLOAT) {
    return status_fail(error, STATUS_INVALID, "%s is not quantized", port->name);
  }
  if (spec->storage != port->storage) {
    return status_fail(error, STATUS_INVALID, "%s is stored as %s, not %s", port->name,
                       port->storage->name, spec->storage->name);
  }
  STATUS_TRY(check_range_within(port, spec, error));
  const quantization_t *uniform = spec->uniform;
  for (uint32_t i = 0; port->is_symmetric && i < uniform->count; i++) {
    if (uniform->zero_points[i] == 0) continue;
    return status_fail(error, STATUS_INVALID, "%s is symmetric, not of zero point %" PRId64,
                       port->name, uniform->zero_points[i]);
  }
  if (uniform->axis == -1 || uniform->axis == port->axis) return STATUS_OK;
  if (port->axis == -1) {
    return status_fail(error, STATUS_INVALID, "%s has one scale, not those along dimension %d",
                       port->name, uniform->axis);
  }
  return status_fail(error, STATUS_INVALID, "%s has scales along dimension %d, not %d", port->name,
                     port->axis, uniform->axis);
}

quant_spec_t quant_port_float_spec(const quant_signature_port_t *port, const type_t *type) {
  if (port->storage == NULL) return quant_spec_of_type(type);
  return (quant_spec_t){.kind = QUANT_SPEC_KEEP, .expressed = port->storage};
}

/* ---- A constraint and a port ----------------------------------------------------------------- */

/* What a wildcard becomes: constraints name a storage type, or high precision. */
static void complete_wildcard(const quant_spec_t *constraint, const quant_value_t *value,
                              const quant_signature_port_t *default_port,
                              quant_signature_port_t *inout_port) {
  if (constraint->kind == QUANT_SPEC_KEEP || !quant_value_is_float(value)) {
    bool is_narrow = quant_spec_narrows(constraint, &value->type);
    inout_port->kind = QUANT_PORT_FLOAT;
    inout_port->storage = is_narrow ? constraint->expressed : NULL;
    inout_port->is_symmetric = false;
    inout_port->axis = -1;
    return;
  }
  bool names_storage = constraint->kind == QUANT_SPEC_ANY || constraint->kind == QUANT_SPEC_UNIFORM;
  inout_port->kind = QUANT_PORT_STORAGE;
  inout_port->storage = names_storage ? constraint->storage : default_port->storage;
  inout_port->storage_min = names_storage ? constraint->storage_min : default_port->storage_min;
  inout_port->storage_max = names_storage ? constraint->storage_max : default_port->storage_max;
}

/* The constraint on a port that is quantized.  Parameters that a value has, unlike bits that it is
 * to have, are no demand on the port: a rescale can stand between. */
static status_t check_constraint(const quant_signature_port_t *signature,
                                 const quant_spec_t *constraint, const quant_port_t *port,
                                 failure_t *error) {
  if (constraint->kind == QUANT_SPEC_ANY) return check_range_within(signature, constraint, error);
  if (port->spec.kind != QUANT_SPEC_UNIFORM) return STATUS_OK;
  return quant_port_admits(signature, &port->spec, error);
}

/* The constraint on a port that stays a float.  What a value is stored as can be converted on the
 * way into a port that takes more; parameters that it has are no demand on the port. */
static status_t check_float(const quant_signature_port_t *signature, const quant_spec_t *constraint,
                            const quant_port_t *port, const type_t *type, failure_t *error) {
  bool is_quantized = port->spec.kind == QUANT_SPEC_ANY || port->spec.kind == QUANT_SPEC_UNIFORM;
  if (is_quantized) {
    return status_fail(error, STATUS_INVALID, "%s is not quantized", signature->name);
  }
  const element_t *stored = signature->storage == NULL ? type->element : signature->storage;
  if (signature->storage != NULL && type->element->kind != ELEMENT_FLOAT) {
    return status_fail(error, STATUS_INVALID, "%s is stored as %s, not %s", signature->name,
                       stored->name, type->element->name);
  }
  if (stored->bits > type->element->bits ||
      (stored->bits == type->element->bits && stored != type->element)) {
    return status_fail(error, STATUS_INVALID, "%s is stored as %s, which does not hold %s",
                       signature->name, stored->name, type->element->name);
  }
  if (constraint->kind != QUANT_SPEC_KEEP || constraint->expressed == stored) return STATUS_OK;
  bool is_widened = signature->storage == NULL && port->spec.kind == QUANT_SPEC_OPEN;
  if (is_widened) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "%s is stored as %s, not %s", signature->name,
                     stored->name, constraint->expressed->name);
}

bool quant_port_stores_otherwise(const quant_signature_port_t *port,
                                 const quant_spec_t *constraint) {
  bool names_storage = constraint->kind == QUANT_SPEC_ANY || constraint->kind == QUANT_SPEC_UNIFORM;
  return names_storage && (port->kind == QUANT_PORT_FLOAT || port->storage != constraint->storage);
}

static status_t complete_port(const quant_target_t *table, const quant_graph_t *graph,
                              const quant_port_t *port, quant_signature_port_t *inout_signature,
                              failure_t *error) {
  const quant_value_t *value = &graph->values[port->value];
  const quant_spec_t *constraint = quant_port_constraint(graph, port);
  const char *name = inout_signature->name;
  if (inout_signature->is_constant && value->constant == NULL) {
    return status_fail(error, STATUS_INVALID, "%s takes only constants", name);
  }
  if (inout_signature->axis >= (int32_t)value->type.rank) {
    return status_fail(error, STATUS_INVALID,
                       "%s has scales along dimension %d, and %s has rank %u", name,
                       inout_signature->axis, value->name, value->type.rank);
  }
  if (inout_signature->kind == QUANT_PORT_WILDCARD) {
    complete_wildcard(constraint, value, &table->default_port, inout_signature);
  }
  if (inout_signature->kind == QUANT_PORT_FLOAT) {
    return check_float(inout_signature, constraint, port, &value->type, error);
  }
  if (constraint->kind == QUANT_SPEC_KEEP || !quant_value_is_float(value)) {
    return status_fail(error, STATUS_INVALID, "%s is quantized, and %s stays in high precision",
                       name, value->name);
  }
  return check_constraint(inout_signature, constraint, port, error);
}

/* ---- A region and a row ---------------------------------------------------------------------- */

static status_t check_counts(const quant_target_row_t *row, const quant_region_t *region,
                             failure_t *error) {
  uint32_t inputs = 0, required = 0;
  bool is_repeated = false;
  for (uint32_t p = 0; p < row->port_count; p++) {
    if (row->ports[p].is_output) continue;
    inputs++;
    if (!row->ports[p].is_optional) required++;
    is_repeated = row->ports[p].is_repeated;
  }
  uint32_t outputs = row->port_count - inputs;
  if (region->output_count != outputs) {
    return status_fail(error, STATUS_INVALID, "it gives %u outputs, not %u", outputs,
                       region->output_count);
  }
  if (region->input_count < required || (region->input_count > inputs && !is_repeated)) {
    return status_fail(error, STATUS_INVALID, "it takes %u to %u%s inputs, not %u", required,
                       inputs, is_repeated ? " or more" : "", region->input_count);
  }
  return STATUS_OK;
}

/* How a row fits a region. */
typedef struct fit {
  uint32_t progress;  /* How much of the row fitted; 0 if the number of ports did not. */
  uint32_t conflicts; /* Ports stored otherwise than they, or their values, are annotated. */
  quant_signature_port_t ports[QUANT_PORTS_MAX]; /* Completed signatures. */
} fit_t;

static status_t fit_row(const quant_target_t *table, const quant_target_row_t *row,
                        const quant_graph_t *graph, const quant_region_t *region, fit_t *out_fit,
                        failure_t *error) {
  out_fit->progress = out_fit->conflicts = 0;
  STATUS_TRY(check_counts(row, region, error));
  for (uint32_t p = 0; p < quant_port_count(region); p++) {
    out_fit->progress = 1 + p;
    quant_signature_port_t *signature = &out_fit->ports[p];
    *signature = row->ports[quant_row_port(row, region->input_count, p)];
    STATUS_TRY(complete_port(table, graph, &region->ports[p], signature, error));
    const quant_spec_t *constraint = quant_port_constraint(graph, &region->ports[p]);
    if (quant_port_stores_otherwise(signature, constraint)) out_fit->conflicts++;
  }
  return STATUS_OK;
}

/* "port 2: ", or nothing if the number of ports did not fit. */
static void describe_port(uint32_t progress, char *out_text, size_t out_bytes) {
  out_text[0] = '\0';
  if (progress > 0) g_snprintf(out_text, out_bytes, "port %u: ", progress - 1);
}

/* The row that comes closest, where none fits. */
typedef struct near_miss {
  const quant_target_row_t *row; /* NULL: the table has no such kernel. */
  uint32_t progress;
  failure_t reason;
} near_miss_t;

static status_t fail_to_match(const quant_target_t *table, const quant_region_t *region,
                              const near_miss_t *closest, failure_t *error) {
  if (closest->row == NULL) {
    return status_fail(error, STATUS_UNSUPPORTED, "region %s: table %s has no kernel %s",
                       region->name, table->name, region->kernel);
  }
  char where[32];
  describe_port(closest->progress, where, sizeof where);
  return status_fail(error, STATUS_UNSUPPORTED, "region %s: %skernel %s (line %u): %s",
                     region->name, where, region->kernel, closest->row->line, closest->reason.text);
}

status_t quant_target_match(const quant_target_t *table, const quant_graph_t *graph,
                            uint32_t region, const quant_target_row_t **out_row,
                            quant_signature_port_t out_ports[QUANT_PORTS_MAX], failure_t *error) {
  const quant_region_t *node = &graph->regions[region];
  const quant_target_row_t *best = NULL;
  uint32_t best_conflicts = 0;
  near_miss_t closest = {.row = NULL};
  if (node->is_op) {
    return status_fail(error, STATUS_UNSUPPORTED, "op %s (%s) stands in no region", node->name,
                       node->kernel);
  }
  for (uint32_t r = 0; r < table->row_count; r++) {
    const quant_target_row_t *row = &table->rows[r];
    if (strcmp(row->kernel, node->kernel) != 0) continue;
    fit_t fit;
    failure_t reason;
    if (fit_row(table, row, graph, node, &fit, &reason) != STATUS_OK) {
      bool is_closer = closest.row == NULL || fit.progress > closest.progress;
      if (is_closer) {
        closest = (near_miss_t){.row = row, .progress = fit.progress, .reason = reason};
      }
      continue;
    }
    if (best != NULL && fit.conflicts >= best_conflicts) continue;
    best = row;
    best_conflicts = fit.conflicts;
    memcpy(out_ports, fit.ports, quant_port_count(node) * sizeof fit.ports[0]);
  }
  if (best == NULL) return fail_to_match(table, node, &closest, error);
  *out_row = best;
  return STATUS_OK;
}

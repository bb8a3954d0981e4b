/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and subprograms, found again in a graph that holds what calls made: names of values and
 * regions say where each stands.  Shared by the files of the printer alone. */
#ifndef ASSAY_QUANT_GRAPH_SCOPE_H
#define ASSAY_QUANT_GRAPH_SCOPE_H

#include "harness/quant/graph/parts.h"

/* A call, or in the last place the graph itself. */
typedef struct scope {
  const quant_call_t *call; /* NULL of the graph. */
  const char *name;         /* "outer/inner", or "". */
  size_t name_size;
  GArray *values;         /* uint32_t: constants, and values with constraints, by name in here. */
  GArray *regions;        /* uint32_t */
  GArray *calls;          /* uint32_t */
  GArray *arguments;      /* uint32_t: values from around that are used in here. */
  GArray *results;        /* uint32_t: values from around that are made in here. */
  GArray *argument_names; /* const char *: what they are called in here. */
  GArray *result_names;
  GHashTable *formals;    /* Value + 1 -> what it is called in here. */
  GHashTable *taken;      /* Names of values in here. */
  const char *subprogram; /* What the call's is called in the text. */
} scope_t;

typedef struct printer {
  const quant_graph_t *graph;
  scope_t *scopes;         /* call_count + 1 of them. */
  GHashTable *call_names;  /* Name -> index of call + 1. */
  GHashTable *subprograms; /* "NAME\ntext" -> what it is called. */
  GHashTable *bases;       /* Names that subprograms have by themselves. */
  GHashTable *counts;      /* Name -> how many different copies there are. */
  GStringChunk *names;
  GString *definitions; /* Of subprograms, callees first. */
} printer_t;

/* Sorts what the graph holds into scopes; scopes_close() frees what that takes. */
void scopes_open(printer_t *printer, const quant_graph_t *graph);
void scopes_close(printer_t *printer);

/* Finds what a call takes and gives; those that stand in it come first. */
void scope_find_formals(printer_t *printer, scope_t *scope);

scope_t *scope_at(const printer_t *printer, int32_t call);

/* What a value is called in the scope; NULL if it is from around and not yet an argument. */
const char *scope_name_of(const printer_t *printer, const scope_t *scope, uint32_t value);

/* "name" of "outer/inner/name". */
const char *scope_local_part(const char *name);

#endif

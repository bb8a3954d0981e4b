/* SPDX-License-Identifier: Apache-2.0 */
/* A client of a PJRT plugin: its devices, and what it says of itself. */
#ifndef ASSAY_EXEC_PJRT_CLIENT_H
#define ASSAY_EXEC_PJRT_CLIENT_H

#include "harness/exec/pjrt/library.h"
#include "harness/exec/pjrt/options.h"

typedef struct pjrt_client {
  const PJRT_Api *api;
  pjrt_options_t options;
  PJRT_Client *client;
  PJRT_Device *const *devices; /* The addressable ones; the plugin's. */
  size_t device_count;
  char *name; /* "pjrt:cpu" */
  char *version;
  char *hardware;
} pjrt_client_t;

/* The functions of the executor ABI: `self` is a pjrt_client_t. */
int32_t pjrt_client_open(const char *options, void **out_self, assay_reason_t *reason);
void pjrt_client_close(void *self);
const char *pjrt_client_name(void *self);
const char *pjrt_client_version(void *self);
const char *pjrt_client_hardware(void *self);

/* The device's number, by which compile options name it. */
int32_t pjrt_device_id(const pjrt_client_t *client, PJRT_Device *device, int64_t *out_id,
                       assay_reason_t *reason);

#endif

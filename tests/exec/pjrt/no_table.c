/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin whose GetPjrtApi() gives no table. */
#include <pjrt_c_api.h>
#include <stddef.h>

const PJRT_Api *GetPjrtApi(void);

const PJRT_Api *GetPjrtApi(void) { return NULL; }

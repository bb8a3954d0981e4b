# SPDX-License-Identifier: Apache-2.0
# Embeds schema.sql (version 1), migrations/NNNN_*.sql (versions 2, 3, ...), the views and what
# merging is made of into assay_store.  A migration is only ever added: what has been released stays as it is.
include(${CMAKE_SOURCE_DIR}/harness/base/embed_text.cmake)

set(MIGRATIONS "")
set(MIGRATION_COUNT 0)
file(GLOB migration_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/migrations/*.sql)
foreach(file IN ITEMS ${CMAKE_CURRENT_LIST_DIR}/sql/schema.sql LISTS migration_files)
  embed_text(${file} text)
  string(APPEND MIGRATIONS "    ${text},\n")
  math(EXPR MIGRATION_COUNT "${MIGRATION_COUNT} + 1")
endforeach()
embed_text(${CMAKE_SOURCE_DIR}/reports/views.sql VIEWS)
embed_text(${CMAKE_CURRENT_LIST_DIR}/sql/merge.sql MERGE)
embed_text(${CMAKE_CURRENT_LIST_DIR}/sql/absorb.sql ABSORB)
embed_text(${CMAKE_CURRENT_LIST_DIR}/sql/drop_parts.sql DROP_PARTS)

configure_file(${CMAKE_CURRENT_LIST_DIR}/schema_text.c.in
               ${CMAKE_BINARY_DIR}/generated/schema_text.c @ONLY)
target_sources(assay_store PRIVATE ${CMAKE_BINARY_DIR}/generated/schema_text.c)

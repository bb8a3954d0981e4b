# SPDX-License-Identifier: Apache-2.0
# Embeds queries/*.sql into assay_reports: each is a query of the same name, described by its first
# line, a comment.
set(QUERIES "")
file(GLOB query_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/queries/*.sql)
foreach(file IN LISTS query_files)
  get_filename_component(name ${file} NAME_WE)
  embed_text(${file} text)
  string(APPEND QUERIES "    {\"${name}\",\n    ${text}},\n")
endforeach()

configure_file(${CMAKE_CURRENT_LIST_DIR}/query_table.c.in
               ${CMAKE_BINARY_DIR}/generated/query_table.c @ONLY)
target_sources(assay_reports PRIVATE ${CMAKE_BINARY_DIR}/generated/query_table.c)

# The style and the script of the HTML report.
embed_text(${CMAKE_CURRENT_LIST_DIR}/html/page/page.css PAGE_STYLE)
embed_text(${CMAKE_CURRENT_LIST_DIR}/html/page/page.js PAGE_SCRIPT)
configure_file(${CMAKE_CURRENT_LIST_DIR}/html/page_assets.c.in
               ${CMAKE_BINARY_DIR}/generated/page_assets.c @ONLY)
target_sources(assay_reports_html PRIVATE ${CMAKE_BINARY_DIR}/generated/page_assets.c)

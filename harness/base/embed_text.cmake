# SPDX-License-Identifier: Apache-2.0
# embed_text(FILE OUT_VARIABLE): the text of a file as a C string literal.  The build is configured
# again when the file changes.
function(embed_text file out_variable)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "?" "\\?" text "${text}")  # "??-" would be a trigraph.
  string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
  set(${out_variable} "\"${text}\"" PARENT_SCOPE)
endfunction()

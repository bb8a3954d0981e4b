# SPDX-License-Identifier: Apache-2.0
# Backends that are built where their library is there: the files of harness/exec/plugins/NAME
# become plugins/NAME_plugin.so beside the program.
#
# A plugin loads its library itself, when it opens (plugin_library.h): here only the header is needed,
# and the library's presence decides.
function(add_plugin name)
  cmake_parse_arguments(PLUGIN "" "HEADER;LIBRARY" "" ${ARGN})
  find_path(${name}_INCLUDE_DIR ${PLUGIN_HEADER})
  find_library(${name}_LIBRARY ${PLUGIN_LIBRARY})
  if(NOT ${name}_INCLUDE_DIR OR NOT ${name}_LIBRARY)
    message(STATUS "No plugin ${name}: ${PLUGIN_HEADER} or lib${PLUGIN_LIBRARY} is not installed")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/harness/exec/plugins/${name}/*.c
                                    ${CMAKE_SOURCE_DIR}/harness/exec/plugins/${name}/*/*.c)
  add_library(${name}_plugin MODULE ${sources})
  target_include_directories(${name}_plugin SYSTEM PRIVATE ${${name}_INCLUDE_DIR})
  set_target_properties(${name}_plugin PROPERTIES
    PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
endfunction()

add_plugin(openblas HEADER cblas.h LIBRARY openblas)
add_plugin(onednn HEADER dnnl.h LIBRARY dnnl)

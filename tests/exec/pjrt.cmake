# SPDX-License-Identifier: Apache-2.0
# The PJRT plugins that tests/exec loads: each tests/exec/pjrt/NAME.c is a shared object,
# tests/pjrt/NAME.so.
if(PJRT_INCLUDE_DIR)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/exec/pjrt/*.c)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    add_library(pjrt_${name} MODULE EXCLUDE_FROM_ALL ${source})
    target_include_directories(pjrt_${name} SYSTEM PRIVATE ${PJRT_INCLUDE_DIR})
    set_target_properties(pjrt_${name} PROPERTIES
      PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/pjrt)
    add_dependencies(check_programs pjrt_${name})
  endforeach()
endif()

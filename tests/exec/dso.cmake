# SPDX-License-Identifier: Apache-2.0
# The backends that tests/exec loads: each tests/exec/dso/NAME.c is a shared object, tests/dso/NAME.so.
# fast_math.c is special: only gcc links the code that switches a whole process to flush-to-zero.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/exec/dso/*.c)
list(FILTER sources EXCLUDE REGEX "fast_math\\.c$")
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  add_library(dso_${name} MODULE EXCLUDE_FROM_ALL ${source})
  set_target_properties(dso_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/dso)
  add_dependencies(check_programs dso_${name})
endforeach()

find_program(GCC_FOR_FAST_MATH gcc)
if(GCC_FOR_FAST_MATH)
  set(fast_math ${CMAKE_BINARY_DIR}/tests/dso/fast_math.so)
  set(fast_math_source ${CMAKE_SOURCE_DIR}/tests/exec/dso/fast_math.c)
  add_custom_command(
    OUTPUT ${fast_math}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/tests/dso
    COMMAND ${GCC_FOR_FAST_MATH} -std=gnu11 -Ofast -shared -fPIC -I${CMAKE_SOURCE_DIR}
            -o ${fast_math} ${fast_math_source}
    DEPENDS ${fast_math_source} ${CMAKE_SOURCE_DIR}/tests/exec/dso/backend.h
            ${CMAKE_SOURCE_DIR}/harness/exec/assay_executor.h)
  add_custom_target(dso_fast_math DEPENDS ${fast_math})
  add_dependencies(check_programs dso_fast_math)
endif()

foreach(name openblas onednn)
  if(TARGET ${name}_plugin)
    add_dependencies(check_programs ${name}_plugin)
  endif()
endforeach()

# SPDX-License-Identifier: Apache-2.0
# A source of loops that is built once per instruction set, each time with another KERNEL_SUFFIX in
# the name of the table at its end, and chosen at run time (harness/base/instruction_set.h).  The portable build
# comes with the library itself.  -O3 unrolls the loops and turns them into vector code, which it
# may not where a square root has to set errno; nobody reads that.
function(add_vector_kernels library folder name)
  set(source ${CMAKE_SOURCE_DIR}/${folder}/${name}.c)
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-O3;-fno-math-errno")
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    return()
  endif()
  target_compile_definitions(${library} PRIVATE VECTOR_KERNELS_X86=1)
  set(avx2 -mavx2 -mfma)
  set(avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw ${avx2} -mprefer-vector-width=512)
  foreach(suffix avx2 avx512)
    add_library(${name}_${suffix} OBJECT ${source})
    target_compile_definitions(${name}_${suffix} PRIVATE KERNEL_SUFFIX=${suffix})
    target_compile_options(${name}_${suffix} PRIVATE ${${suffix}})
    target_link_libraries(${name}_${suffix} PRIVATE assay_model)
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:${name}_${suffix}>)
  endforeach()
endfunction()

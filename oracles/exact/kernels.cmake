# exact_kernels.c is built once per instruction set and chosen at run time (exact_matmul.c).
# The portable build comes with assay_exact itself.  -O3 unrolls the loops over constant bounds.
set_source_files_properties(${CMAKE_SOURCE_DIR}/oracles/exact/exact_kernels.c
                            PROPERTIES COMPILE_OPTIONS "-O3")

function(add_exact_kernels name)
  add_library(exact_kernels_${name} OBJECT ${CMAKE_SOURCE_DIR}/oracles/exact/exact_kernels.c)
  target_compile_definitions(exact_kernels_${name} PRIVATE KERNEL_SUFFIX=${name})
  target_compile_options(exact_kernels_${name} PRIVATE ${ARGN})
  target_link_libraries(exact_kernels_${name} PRIVATE assay_model)
  target_sources(assay_exact PRIVATE $<TARGET_OBJECTS:exact_kernels_${name}>)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  target_compile_definitions(assay_exact PRIVATE EXACT_KERNELS_X86=1)
  add_exact_kernels(avx2 -mavx2 -mfma)
  add_exact_kernels(avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx2 -mfma
                    -mprefer-vector-width=512)
endif()

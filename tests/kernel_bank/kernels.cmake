# SPDX-License-Identifier: Apache-2.0
# The kernels of the bank, tests/dso/kernel_bank.so: compiled for speed, as kernels are, in every build.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/kernel_bank/kernels/*.c)
add_library(dso_kernel_bank MODULE EXCLUDE_FROM_ALL ${sources})
set_target_properties(dso_kernel_bank PROPERTIES
  PREFIX "" OUTPUT_NAME kernel_bank LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/dso)
target_compile_options(dso_kernel_bank PRIVATE -O3)
target_link_libraries(dso_kernel_bank PRIVATE m)
add_dependencies(check_programs dso_kernel_bank)

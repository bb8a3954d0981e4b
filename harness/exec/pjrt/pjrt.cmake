# SPDX-License-Identifier: Apache-2.0
# The transport to PJRT plugins, built where the header of PJRT's interface is there: harness/build
# fetches it (harness/exec/pjrt/fetch-header).
find_path(PJRT_INCLUDE_DIR pjrt_c_api.h HINTS ${CMAKE_BINARY_DIR}/pjrt)
if(PJRT_INCLUDE_DIR)
  add_folder(exec_pjrt harness/exec/pjrt NEEDS assay_exec_transport)
  target_include_directories(assay_exec_pjrt SYSTEM PUBLIC ${PJRT_INCLUDE_DIR})
  target_compile_definitions(assay_exec_pjrt PUBLIC ASSAY_HAS_PJRT)
else()
  message(STATUS "No pjrt: executors: pjrt_c_api.h is not there")
  add_library(assay_exec_pjrt INTERFACE)
endif()

# SPDX-License-Identifier: Apache-2.0
# The transport to PJRT plugins, built where the header of PJRT's interface is there: harness/build
# fetches it (harness/exec/pjrt/fetch-header).
set(data_home "$ENV{XDG_DATA_HOME}")
if(NOT data_home)
  set(data_home "$ENV{HOME}/.local/share")
endif()
find_path(PJRT_INCLUDE_DIR pjrt_c_api.h HINTS "${data_home}/assay/pjrt")
if(PJRT_INCLUDE_DIR)
  add_folder(exec_pjrt harness/exec/pjrt NEEDS assay_exec_transport)
  target_include_directories(assay_exec_pjrt SYSTEM PUBLIC ${PJRT_INCLUDE_DIR})
  target_compile_definitions(assay_exec_pjrt PUBLIC ASSAY_HAS_PJRT)
else()
  message(STATUS "No pjrt: executors: pjrt_c_api.h is not there")
  add_library(assay_exec_pjrt INTERFACE)
endif()

# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
# Debian's own interpreter, because Debian's packages of gRPC, protobuf and numpy are its.
find_program(CLEARANCE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
set(CLEARANCE_RUNS_ITS_PROGRAMS ON)
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "built for another machine: without manual pages and completions")
  set(CLEARANCE_RUNS_ITS_PROGRAMS OFF)
elseif(NOT CLEARANCE_PYTHON)
  message(STATUS "no /usr/bin/python3: without manual pages and the Python package")
endif()

# Makes a manual page from the --help of a program and installs it with this component.
function(clearance_manual_page program section component)
  if(NOT CLEARANCE_PYTHON OR NOT CLEARANCE_RUNS_ITS_PROGRAMS)
    return()
  endif()
  set(script ${PROJECT_SOURCE_DIR}/docker/packages/manual_page.py)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/${program}.${section}.gz)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CLEARANCE_PYTHON} ${script} ${section} ${page}
            ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>
    DEPENDS ${program} ${script} VERBATIM)
  add_custom_target(${program}-manual ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT ${component})
endfunction()

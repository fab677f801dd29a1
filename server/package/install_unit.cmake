# SPDX-License-Identifier: Apache-2.0
# Runs at the installation, after CMakeLists.txt has set the names in lower case.
cmake_path(ABSOLUTE_PATH bin_dir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE CLEARANCE_BIN_DIR)
cmake_path(ABSOLUTE_PATH config_dir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE CLEARANCE_CONFIG_DIR)
cmake_path(ABSOLUTE_PATH unit_dir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
configure_file("${template}" "${unit}" @ONLY)
file(INSTALL DESTINATION "${unit_dir}" TYPE FILE FILES "${unit}")
if(NOT EXISTS "$ENV{DESTDIR}${CLEARANCE_CONFIG_DIR}/server.conf")
  file(INSTALL DESTINATION "${CLEARANCE_CONFIG_DIR}" TYPE FILE FILES "${settings}")
endif()

# SPDX-License-Identifier: Apache-2.0
# The packages for Debian 12 that `cpack` makes of a build with the preset `package`: one for each
# component of the installation.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "clearance <clearance@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL)
# Settings are installed outside of the prefix.
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# Of SOURCE_DATE_EPOCH, if it is set: the same source gives the same package.
string(TIMESTAMP packages_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(packages_folder ${CMAKE_BINARY_DIR}/package-files)

# describe_package(COMPONENT NAME SECTION SUMMARY TEXT): and what each package has in share/doc.
macro(describe_package component name section summary text)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  set(package_name ${name})
  set(changelog ${packages_folder}/${name}/changelog)
  configure_file(docker/packages/changelog.in ${changelog} @ONLY)
  file(ARCHIVE_CREATE OUTPUT ${changelog}.gz PATHS ${changelog} FORMAT raw
       COMPRESSION GZip COMPRESSION_LEVEL 9)
  install(FILES docker/packages/copyright ${changelog}.gz DESTINATION share/doc/${name}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

describe_package(server clearance-server net
  "server that proves distances and collisions of convex shapes"
  "A gRPC server that stores convex shapes and scenes and answers how far apart
two of them are, whether they touch and when they will collide. Every answer
has a proved bracket. The package brings a service of systemd.")
set(CPACK_DEBIAN_SERVER_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "adduser, init-system-helpers (>= 1.52)")
set(CPACK_DEBIAN_SERVER_PACKAGE_SUGGESTS "clearance")
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA
  "${CMAKE_SOURCE_DIR}/server/package/conffiles;${CMAKE_SOURCE_DIR}/server/package/postinst"
  "${CMAKE_SOURCE_DIR}/server/package/prerm;${CMAKE_SOURCE_DIR}/server/package/postrm")

describe_package(client clearance science
  "command line of the clearance server"
  "Registers shapes at a clearance server and asks it about them from a shell.
Brings completions for bash, zsh and fish.")
set(CPACK_DEBIAN_CLIENT_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_CLIENT_PACKAGE_SUGGESTS "clearance-server")

describe_package(library libclearance-dev libdevel
  "C++ library of the clearance server"
  "Headers, a static library and a CMake package, clearance, whose target
clearance::client asks a clearance server.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
  "libgrpc++-dev (>= 1.51), libgrpc++-dev (<< 1.52), libprotobuf-dev (>= 3.21.12)"
  "libprotobuf-dev (<< 3.22), libabsl-dev (>= 20220623), libabsl-dev (<< 20220624)"
  "protobuf-compiler-grpc")
list(JOIN CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ", " CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS)

if(CLEARANCE_BUILD_PYTHON AND CLEARANCE_PYTHON)
  describe_package(python python3-clearance python
    "Python package of the clearance server"
    "Asks a clearance server from Python, with numpy arrays in and out.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.10), python3-grpcio (>= 1.51.1), python3-protobuf (>= 3.21.12), python3-numpy (>= 1:1.24.2)")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${CMAKE_SOURCE_DIR}/client/python/package/postinst;${CMAKE_SOURCE_DIR}/client/python/package/prerm")
endif()

include(CPack)

# Every library that toolgate links, found once.
find_program(TOOLGATE_CCACHE ccache)
# With a profile, an object depends on counts that lie beside it.
if(TOOLGATE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT TOOLGATE_PGO)
  # Relative paths in the key, so that clones of this repository share compiled files. The dependency file tells ccache
  # which headers were included, so it need not preprocess each source a second time.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
                                  CCACHE_DEPEND=1 ${TOOLGATE_CCACHE})
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
if(NOT TOOLGATE_SANITIZE)
  set(Protobuf_USE_STATIC_LIBS ON)
endif()
find_package(Protobuf REQUIRED)
find_package(absl REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET hiredis)
pkg_check_modules(libpq REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(icu REQUIRED IMPORTED_TARGET icu-uc icu-i18n)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)
# Only its headers: common/http/curl_library.cc loads it on demand.
pkg_check_modules(curl REQUIRED libcurl)
# The same: services/http/microhttpd.cc loads it on demand.
pkg_check_modules(microhttpd REQUIRED libmicrohttpd)
# gRPC's package names re2::re2, for which Debian ships no CMake package.
if(NOT TARGET re2::re2)
  add_library(re2::re2 ALIAS PkgConfig::re2)
endif()
find_package(gRPC REQUIRED)
# Abseil, Protobuf and gRPC become part of the program: Debian's packages name their fifty shared libraries, but contain
# the archives too. With them the service starts in a sixth less time, takes 3 MB less memory, and serves 10 % more
# calls. The thread sanitizer's build needs them shared, because it replaces Abseil's mutexes; sanitizers do not need
# the speed.
if(NOT TOOLGATE_SANITIZE)
  get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
  list(FILTER imported INCLUDE REGEX "^(absl|gRPC)::")
  foreach(target IN LISTS imported)
    get_target_property(shared ${target} IMPORTED_LOCATION_NONE)
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${shared}")
    if(shared MATCHES "\\.so[.0-9]*$" AND EXISTS "${archive}")
      set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_NONE "${archive}")
    endif()
  endforeach()
endif()
pkg_check_modules(jemalloc REQUIRED IMPORTED_TARGET jemalloc)
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost REQUIRED COMPONENTS context)
find_package(CLI11 REQUIRED)
# Debian's libcmark-gfm.pc names the extensions library too.
pkg_check_modules(cmark_gfm REQUIRED IMPORTED_TARGET libcmark-gfm)
# Parsers of generated pages and images.
pkg_check_modules(gumbo REQUIRED IMPORTED_TARGET gumbo)
pkg_check_modules(libxml2 REQUIRED IMPORTED_TARGET libxml-2.0)

if(TOOLGATE_TESTS)
  find_package(GTest REQUIRED)
  # Reference for recurrence rules. Debian's libical.pc also names the libraries for vCards and for calendars in
  # Berkeley DB, which are not needed here.
  pkg_check_modules(ical REQUIRED libical)
  find_library(TOOLGATE_ICAL_LIBRARY ical HINTS ${ical_LIBRARY_DIRS} REQUIRED)
  add_library(ical::ical INTERFACE IMPORTED)
  target_include_directories(ical::ical INTERFACE ${ical_INCLUDE_DIRS})
  target_link_libraries(ical::ical INTERFACE ${TOOLGATE_ICAL_LIBRARY})
endif()
if(TOOLGATE_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

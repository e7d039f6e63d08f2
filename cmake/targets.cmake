# The few functions that every CMakeLists.txt of the tree uses. File lists are explicit: a file that no list names is
# not part of the build.

add_library(toolgate_options INTERFACE)
target_include_directories(toolgate_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(toolgate_options INTERFACE -Wall -Wextra $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TOOLGATE_SHADOWING>>>:-Wshadow> -Wnon-virtual-dtor -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(toolgate_options INTERFACE -Wthread-safety)
endif()
# Off by default: another compiler may warn of more. Presets for development and CI turn it on.
option(TOOLGATE_WERROR "Treat warnings in our own sources as errors" OFF)
if(TOOLGATE_WERROR)
  target_compile_options(toolgate_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # By default, GCC collects garbage from 128 MiB on. Nearly all sources need less than 1 GiB, and leave little garbage.
  add_compile_options(--param=ggc-min-heapsize=1048576)
  # Part of Debian's binutils, and twice as fast as its default linker.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=gold TOOLGATE_HAS_GOLD)
  if(TOOLGATE_HAS_GOLD)
    add_link_options(-fuse-ld=gold)
  endif()
endif()
if(TOOLGATE_SANITIZE)
  add_compile_options(-fsanitize=${TOOLGATE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TOOLGATE_SANITIZE})
endif()
if(TOOLGATE_SANITIZE STREQUAL "thread")
  # Protobuf's headers lay out map fields differently under this sanitizer, which Debian's library does not know. The
  # standard library uses its own macro, our code TOOLGATE_TSAN.
  add_compile_options(-U__SANITIZE_THREAD__)
  add_compile_definitions(_GLIBCXX_TSAN=1 TOOLGATE_TSAN=1)
  # Debian's Abseil is not instrumented: its mutexes must be made visible to the sanitizer.
  add_library(toolgate_tsan_mutex STATIC ${CMAKE_SOURCE_DIR}/tests/support/tsan_mutex.cc)
  target_link_libraries(toolgate_tsan_mutex PUBLIC absl::synchronization absl::time ${CMAKE_DL_LIBS})
  target_link_libraries(toolgate_options INTERFACE toolgate_tsan_mutex)
  target_link_options(toolgate_options INTERFACE -Wl,-u,toolgate_tsan_mutex)
endif()
if(TOOLGATE_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# toolgate_quick_build(NAME…): makes the release build of test programs, and of the libraries that only they link, cheap:
# their own sources at -O0, which takes a third less time than -O1, and no debug information, which would be two thirds of
# a program's size. The libraries under test are those that are released. The other presets keep the lines of a stack trace.
function(toolgate_quick_build)
  foreach(name IN LISTS ARGN)
    target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0> $<$<CONFIG:RelWithDebInfo>:-g0>)
    target_link_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:LINKER:--strip-debug>)
  endforeach()
endfunction()

# toolgate_cold(NAME…): compiles libraries at -O1 in the release build, which takes a quarter less time. For code that
# runs at the start, at a person's pace, or beside a model's answer, which takes seconds.
function(toolgate_cold)
  foreach(name IN LISTS ARGN)
    target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  endforeach()
endfunction()

# toolgate_tidy(NAME): with TOOLGATE_CLANG_TIDY, clang-tidy checks each of the target's sources as it is compiled. So
# the build knows which files changed since they were found clean, and an interrupted run can be continued.
function(toolgate_tidy name)
  if(NOT TOOLGATE_CLANG_TIDY)
    return()
  endif()
  set(command clang-tidy --quiet)
  # A batch includes sources.
  if(TOOLGATE_UNITY)
    list(APPEND command --checks=-bugprone-suspicious-include)
  endif()
  set_target_properties(${name} PROPERTIES CXX_CLANG_TIDY "${command}")
  get_target_property(sources ${name} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${CMAKE_SOURCE_DIR}/.clang-tidy)
endfunction()

# toolgate_library(NAME SOURCES file… DEPS target…): one folder's library. Headers need not be listed.
function(toolgate_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  set_property(GLOBAL APPEND PROPERTY TOOLGATE_LIBRARIES ${name})
  target_link_libraries(${name} PUBLIC toolgate_options ${ARG_DEPS})
  toolgate_batches(${name})
  toolgate_tidy(${name})
endfunction()

# toolgate_test(NAME SOURCES file… DEPS target… [LABELS label…] [TIMEOUT seconds] [ALONE file…]): a GoogleTest binary,
# one ctest entry, which under sanitizers has five times its TIMEOUT. It finds data files by tests/support/source_dir.h: a
# path in its compile options would make it another program in each clone.
function(toolgate_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPS;LABELS;ALONE" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  # Sanitizers make a program up to fifteen times slower.
  if(TOOLGATE_SANITIZE)
    math(EXPR ARG_TIMEOUT "5 * ${ARG_TIMEOUT}")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  toolgate_quick_build(${name})
  toolgate_batches(${name} ${ARG_ALONE})
  if(TOOLGATE_UNITY)
    # A local name may equal one of another source. The presets without batches warn of shadowing in tests too.
    set_target_properties(${name} PROPERTIES TOOLGATE_SHADOWING ON)
  endif()
  target_link_libraries(${name} PRIVATE toolgate_options ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  # ctest starts those of the highest cost first, so that no long one is left alone at the end.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
                                           ENVIRONMENT "TOOLGATE_SOURCE_DIR=${CMAKE_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES TOOLGATE_TIMEOUT ${ARG_TIMEOUT} TOOLGATE_LABELS "${ARG_LABELS}"
                                           TOOLGATE_ALONE "${ARG_ALONE}")
endfunction()

# toolgate_node_test(NAME ARGUMENTS argument… LABELS label… TIMEOUT seconds [ENVIRONMENT name=value…]
# [CONFIGURATION name]): a ctest entry that runs Node.js in the folder of its CMakeLists.txt. With CONFIGURATION, only
# `ctest -C name` runs it, and nothing beside it.
find_program(NODE node)
function(toolgate_node_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;CONFIGURATION" "ARGUMENTS;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT NODE)
    message(FATAL_ERROR "${name} needs Node.js")
  endif()
  set(when "")
  if(ARG_CONFIGURATION)
    set(when CONFIGURATIONS ${ARG_CONFIGURATION})
  endif()
  add_test(NAME ${name} ${when} COMMAND ${NODE} ${ARG_ARGUMENTS} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
                       ENVIRONMENT "TOOLGATE_BINARY_DIR=${CMAKE_BINARY_DIR};${ARG_ENVIRONMENT}")
  if(ARG_CONFIGURATION)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
  file(RELATIVE_PATH ARG_FOLDER ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set_property(GLOBAL APPEND PROPERTY TOOLGATE_NODE_TESTS ${name})
  foreach(key IN ITEMS ARGUMENTS LABELS ENVIRONMENT TIMEOUT CONFIGURATION FOLDER)
    set_property(GLOBAL PROPERTY TOOLGATE_NODE_TEST_${name}_${key} "${ARG_${key}}")
  endforeach()
endfunction()

# Allocator of the program and the benchmarks. Many threads pass each other small pieces: with jemalloc, the throughput
# of durable mutations is 25 % and that of reads 12 % higher than with glibc's allocator (ADR 0002). The sanitizers bring
# their own allocators.
add_library(toolgate_allocator INTERFACE)
if(NOT TOOLGATE_SANITIZE)
  target_link_libraries(toolgate_allocator INTERFACE PkgConfig::jemalloc)
endif()

# toolgate_benchmark(NAME SOURCES file… DEPS target…): a Google Benchmark binary, run by `./dev bench`, never by ctest.
function(toolgate_benchmark name)
  if(NOT TOOLGATE_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE toolgate_options ${ARG_DEPS} toolgate_allocator benchmark::benchmark)
endfunction()

# toolgate_fuzzer(NAME SOURCE file CORPUS folder DEPS target…): one LLVMFuzzerTestOneInput. With TOOLGATE_FUZZERS it is
# a libFuzzer binary; always, its corpus is replayed as an ordinary test.
function(toolgate_fuzzer name)
  cmake_parse_arguments(ARG "" "SOURCE;CORPUS" "DEPS" ${ARGN})
  if(TOOLGATE_FUZZERS)
    add_executable(${name} ${ARG_SOURCE})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name} PRIVATE toolgate_options ${ARG_DEPS})
  endif()
  add_executable(${name}_replay ${ARG_SOURCE} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay_main.cc)
  toolgate_quick_build(${name}_replay)
  target_link_libraries(${name}_replay PRIVATE toolgate_options ${ARG_DEPS})
  add_test(NAME ${name}_replay COMMAND ${name}_replay ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_CORPUS})
  set_tests_properties(${name}_replay PROPERTIES TIMEOUT 120 LABELS fuzz)
  file(RELATIVE_PATH corpus ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_CORPUS})
  set_target_properties(${name}_replay PROPERTIES TOOLGATE_TIMEOUT 120 TOOLGATE_LABELS fuzz TOOLGATE_ARGUMENTS ${corpus})
endfunction()

# toolgate_embed(NAME NAMESPACE ns VARIABLE name FILES file…): a library whose header
# "<folder>/<NAME>.h" declares `extern const std::array<EmbeddedFile, N>`-like access to the files' bytes.
function(toolgate_embed name)
  cmake_parse_arguments(ARG "" "NAMESPACE;FUNCTION" "FILES" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(out_dir ${CMAKE_BINARY_DIR}/generated/${folder})
  set(source ${out_dir}/${name}.cc)
  set(header ${out_dir}/${name}.h)
  list(TRANSFORM ARG_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  add_custom_command(
    OUTPUT ${source} ${header}
    COMMAND ${CMAKE_COMMAND} "-DOUT_SOURCE=${source}" "-DOUT_HEADER=${header}" "-DNAMESPACE=${ARG_NAMESPACE}"
            "-DFUNCTION=${ARG_FUNCTION}" "-DINCLUDE=${folder}/${name}.h" "-DFILES=${paths}" "-DROOT=${CMAKE_SOURCE_DIR}"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${paths} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  add_library(${name} STATIC ${source})
  target_include_directories(${name} PUBLIC ${CMAKE_BINARY_DIR}/generated ${CMAKE_SOURCE_DIR})
  set_target_properties(${name} PROPERTIES TOOLGATE_NAMESPACE ${ARG_NAMESPACE} TOOLGATE_FUNCTION ${ARG_FUNCTION}
                                           TOOLGATE_FILES "${ARG_FILES}")
endfunction()

# toolgate_messages(NAME FILES file… [DEPS target…]): a library of the messages of a folder's own .proto files, which may
# import those of proto/ (toolgate_proto, which whoever uses them links too) and of DEPS, other such libraries. Its
# headers are "<folder>/<file>.pb.h".
function(toolgate_messages name)
  cmake_parse_arguments(ARG "" "" "FILES;DEPS" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(out ${CMAKE_BINARY_DIR}/generated)
  set(imported ${CMAKE_SOURCE_DIR}/proto/toolgate/config/v1)
  set(sources)
  foreach(file IN LISTS ARG_FILES)
    string(REGEX REPLACE "\\.proto$" ".pb" stem ${out}/${folder}/${file})
    add_custom_command(
      OUTPUT ${stem}.cc ${stem}.h
      COMMAND protobuf::protoc -I ${CMAKE_SOURCE_DIR} -I ${CMAKE_SOURCE_DIR}/proto --cpp_out=${out} ${folder}/${file}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${imported}/families.proto ${imported}/options.proto
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
      VERBATIM)
    list(APPEND sources ${stem}.cc)
  endforeach()
  add_library(${name} STATIC ${sources})
  set_property(GLOBAL APPEND PROPERTY TOOLGATE_LIBRARIES ${name})
  # Tells a library that compiles these sources for this one to wait for protoc.
  add_custom_target(${name}_written DEPENDS ${sources})
  target_link_libraries(${name} PUBLIC toolgate_proto ${ARG_DEPS})
  toolgate_message_batches(${name})
endfunction()

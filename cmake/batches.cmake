# Unity builds: with TOOLGATE_UNITY, sources are compiled in batches. Most of a source's time goes into its headers:
# sixteen together take as long as four or five alone.

# The most sources of a batch. GCC needs up to 1.3 GB for so many.
set(TOOLGATE_BATCH 20)

# Libraries that share a batch depend on each other in circles, for which CMake names each of them twice. That is not
# always enough, so the linker searches all until nothing is missing.
if(TOOLGATE_UNITY)
  string(REPLACE "<LINK_LIBRARIES>" "-Wl,--start-group <LINK_LIBRARIES> -Wl,--end-group" CMAKE_CXX_LINK_EXECUTABLE
                 "${CMAKE_CXX_LINK_EXECUTABLE}")
endif()

# toolgate_batches(NAME [ALONE…]): compiles a target's sources in batches of equal size. A folder is one namespace, so
# names without linkage must differ in it; ALONE names sources of tests that share some. toolgate_write_batches() does
# it, when all sources are known.
function(toolgate_batches name)
  if(NOT TOOLGATE_UNITY)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  list(LENGTH sources count)
  math(EXPR batches "(${count} + ${TOOLGATE_BATCH} - 1) / ${TOOLGATE_BATCH}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set_property(GLOBAL APPEND PROPERTY TOOLGATE_BATCHED ${name})
  set_target_properties(${name} PROPERTIES TOOLGATE_BATCH_SIZE ${size} TOOLGATE_UNBATCHED "${ARGN}")
  # GCC takes the sources of a batch for headers, in which it warns of types without linkage.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# toolgate_message_batches(NAME): the same for what protoc wrote. All its sources have two names in common, which become
# others in each.
function(toolgate_message_batches name)
  toolgate_batches(${name})
  set_target_properties(${name} PROPERTIES TOOLGATE_BATCH_PROLOGUE [[
#define TOOLGATE_PASTE(a, b) a##b
#define TOOLGATE_NAME(a, b) TOOLGATE_PASTE(a, b)
#define schemas TOOLGATE_NAME(schemas_, TOOLGATE_FILE)
#define file_default_instances TOOLGATE_NAME(file_default_instances_, TOOLGATE_FILE)
]])
endfunction()

# toolgate_write_batches(): writes the batches of all targets. CMake's own unity build names sources by absolute path,
# so the compiler's cache would know none of them in another clone. Call it last.
function(toolgate_write_batches)
  get_property(names GLOBAL PROPERTY TOOLGATE_BATCHED)
  foreach(name IN LISTS names)
    toolgate_write_batches_of(${name})
  endforeach()
endfunction()

# toolgate_write_batches_of(NAME): replaces the sources of a target by batches, which include them from the tree's root
# or the folder of generated files. The sources stay in the target as headers, so that those that the build generates
# are there first. Those with options of their own are compiled alone.
function(toolgate_write_batches_of name)
  get_target_property(folder ${name} SOURCE_DIR)
  get_target_property(sources ${name} SOURCES)
  get_target_property(size ${name} TOOLGATE_BATCH_SIZE)
  get_target_property(alone ${name} TOOLGATE_UNBATCHED)
  get_target_property(prologue ${name} TOOLGATE_BATCH_PROLOGUE)
  if(NOT prologue)
    set(prologue "")
  endif()
  set(included "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE OUTPUT_VARIABLE path)
    toolgate_has_own_options(own ${path} ${folder})
    if(NOT own AND NOT source IN_LIST alone AND path MATCHES "\\.cc$")
      list(APPEND included ${path})
    endif()
  endforeach()
  list(LENGTH included count)
  if(count LESS 2)
    return()
  endif()
  set_source_files_properties(${included} TARGET_DIRECTORY ${name} PROPERTIES HEADER_FILE_ONLY ON)
  set(batch 0)
  set(file 0)
  set(text "")
  foreach(path IN LISTS included)
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR ${path} NORMALIZE generated)
    if(generated)
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
    else()
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    endif()
    math(EXPR file "${file} + 1")
    if(prologue)
      string(APPEND text "#undef TOOLGATE_FILE\n#define TOOLGATE_FILE ${file}\n${prologue}")
    endif()
    string(APPEND text "#include \"${path}\"\n")
    math(EXPR left "${file} % ${size}")
    if(left EQUAL 0 OR file EQUAL count)
      set(written ${CMAKE_BINARY_DIR}/batches/${name}_${batch}.cc)
      file(CONFIGURE OUTPUT ${written} CONTENT "${text}" @ONLY)
      target_sources(${name} PRIVATE ${written})
      math(EXPR batch "${batch} + 1")
      set(text "")
    endif()
  endforeach()
endfunction()

# toolgate_has_own_options(OUT PATH FOLDER): whether a source is compiled with options of its own, or by something else.
function(toolgate_has_own_options out path folder)
  foreach(property IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS EXTERNAL_OBJECT)
    get_source_file_property(own ${path} DIRECTORY ${folder} ${property})
    if(own)
      set(${out} ON PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out} OFF PARENT_SCOPE)
endfunction()

# toolgate_share_batches(): lets small libraries of a room, which have the same compiler options, share one batch. The
# first of them compiles the sources of all, and the others link it. Those of tests are left out, since they share
# folders, and so names. Call it when all targets are there and nothing else asks for their sources.
function(toolgate_share_batches)
  # clang-tidy is told by library what has changed.
  if(NOT TOOLGATE_UNITY OR TOOLGATE_CLANG_TIDY)
    return()
  endif()
  get_property(writers GLOBAL PROPERTY TOOLGATE_WRITERS)
  foreach(program IN LISTS writers)
    toolgate_room(room ${program})
    toolgate_keep_apart(${program} ${room})
  endforeach()
  get_property(names GLOBAL PROPERTY TOOLGATE_LIBRARIES)
  foreach(name IN LISTS names)
    toolgate_room(room ${name})
    toolgate_shared_sources(sources ${name})
    list(LENGTH sources count)
    if(count EQUAL 0 OR room STREQUAL tests)
      continue()
    endif()
    toolgate_batch_kind(kind ${name})
    if(DEFINED first_${kind} AND count LESS_EQUAL left_${kind})
      toolgate_compile_in(${first_${kind}} ${name} "${sources}")
      math(EXPR left_${kind} "${left_${kind}} - ${count}")
    else()
      set(first_${kind} ${name})
      math(EXPR left_${kind} "${TOOLGATE_BATCH} - ${count}")
    endif()
  endforeach()
endfunction()

# toolgate_writes_sources(PROGRAM): says that the build runs a program to write sources of its room. The libraries that
# it links are needed before the others of the room, and share no batch.
function(toolgate_writes_sources program)
  set_property(GLOBAL APPEND PROPERTY TOOLGATE_WRITERS ${program})
endfunction()

# toolgate_keep_apart(TARGET ROOM): gives all libraries of a room that a target links batches of their own.
function(toolgate_keep_apart target room)
  get_target_property(deps ${target} LINK_LIBRARIES)
  foreach(dep IN LISTS deps)
    if(TARGET ${dep})
      get_target_property(apart ${dep} TOOLGATE_OWN_BATCH)
      toolgate_room(its_room ${dep})
      if(its_room STREQUAL room AND NOT apart)
        set_target_properties(${dep} PROPERTIES TOOLGATE_OWN_BATCH ON)
        toolgate_keep_apart(${dep} ${room})
      endif()
    endif()
  endforeach()
endfunction()

# toolgate_room(OUT TARGET): the first folder of the path to a target.
function(toolgate_room out target)
  get_target_property(folder ${target} SOURCE_DIR)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" room "${folder}")
  set(${out} "${room}" PARENT_SCOPE)
endfunction()

# toolgate_shared_sources(OUT NAME): the absolute paths of a library's sources; none if another library cannot compile
# them: it has a batch or definitions of its own, or one of its sources has options of its own.
function(toolgate_shared_sources out name)
  set(${out} "" PARENT_SCOPE)
  get_target_property(folder ${name} SOURCE_DIR)
  get_target_property(own_batch ${name} TOOLGATE_OWN_BATCH)
  get_target_property(definitions ${name} COMPILE_DEFINITIONS)
  if(own_batch OR definitions)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  set(paths "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE OUTPUT_VARIABLE path)
    toolgate_has_own_options(own ${path} ${folder})
    if(own)
      return()
    endif()
    list(APPEND paths ${path})
  endforeach()
  set(${out} ${paths} PARENT_SCOPE)
endfunction()

# toolgate_batch_kind(OUT NAME): a word that is the same for libraries that may share a batch.
function(toolgate_batch_kind out name)
  toolgate_room(room ${name})
  get_target_property(options ${name} COMPILE_OPTIONS)
  get_target_property(prologue ${name} TOOLGATE_BATCH_PROLOGUE)
  string(MD5 kind "${room} ${options} ${prologue}")
  set(${out} ${kind} PARENT_SCOPE)
endfunction()

# toolgate_compile_in(FIRST NAME SOURCES): lets the library FIRST compile those of NAME.
function(toolgate_compile_in first name sources)
  set(moved ${CMAKE_BINARY_DIR}/generated/moved.cc)
  file(CONFIGURE OUTPUT ${moved} CONTENT "// The sources of this library are compiled in another one.\n")
  get_target_property(deps ${name} LINK_LIBRARIES)
  set_target_properties(${name} PROPERTIES SOURCES ${moved})
  target_link_libraries(${name} PUBLIC ${first})
  list(REMOVE_ITEM deps ${first})
  target_link_libraries(${first} PUBLIC ${deps})
  target_sources(${first} PRIVATE ${sources})
  set_target_properties(${first} PROPERTIES TOOLGATE_BATCH_SIZE ${TOOLGATE_BATCH})
  if(TARGET ${name}_written)
    add_dependencies(${first} ${name}_written)
  endif()
endfunction()

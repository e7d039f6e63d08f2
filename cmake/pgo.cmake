# Profile-guided optimisation (PGO), which cmake/pgo.sh drives. TOOLGATE_PGO=record builds a program that counts what it
# runs and writes the counts beside its object files when it ends; TOOLGATE_PGO=use, in the same folder afterwards,
# builds one that is optimised by them.
set(TOOLGATE_PGO "" CACHE STRING "Profile-guided optimisation: record, use, or nothing")
if(NOT TOOLGATE_PGO STREQUAL "")
  if(NOT TOOLGATE_PGO MATCHES "^(record|use)$")
    message(FATAL_ERROR "TOOLGATE_PGO is \"${TOOLGATE_PGO}\"; it must be \"record\", \"use\" or empty")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "TOOLGATE_PGO needs GCC, not ${CMAKE_CXX_COMPILER_ID}: Clang keeps counts in another form")
  endif()
endif()
if(TOOLGATE_PGO STREQUAL "record")
  add_compile_options(-fprofile-generate -fprofile-update=atomic)
  add_link_options(-fprofile-generate)
elseif(TOOLGATE_PGO STREQUAL "use")
  # The steps of -fprofile-use, but for those that make code larger with and without counts. Functions without any are
  # compiled as in the release preset, not for size as GCC would by itself; so are those that changed since.
  add_compile_options(-fbranch-probabilities -fprofile-values -fvpt -fprofile-reorder-functions
                      -fprofile-partial-training -Wno-missing-profile -Wno-coverage-mismatch)
endif()

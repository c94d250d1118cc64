# The layout "modules": ggml-base and ggml as shared libraries, each backend as a module, all in engine.node's folder.
# Included before llama.cpp is added, which then finds the target ggml and links it. Sets:
#   BACKEND_MODULES   targets of the modules
#   CPU_BACKENDS      those of them that hold CPU kernels
#   OWN_FOLDER_RPATH  how a library finds the ones beside it
set(BUILD_SHARED_LIBS ON CACHE BOOL "" FORCE)
set(GGML_BACKEND_DL ON CACHE BOOL "" FORCE)
if(PILOTLIGHT_CPU_VARIANTS)
  set(GGML_CPU_ALL_VARIANTS ON CACHE BOOL "" FORCE)
else()
  set(GGML_CPU_ALL_VARIANTS OFF CACHE BOOL "" FORCE)
endif()
if(APPLE)
  set(OWN_FOLDER_RPATH "@loader_path")
  # A BLAS module would only stand beside Accelerate, which the CPU module uses already.
  set(GGML_BLAS OFF CACHE BOOL "" FORCE)
else()
  set(OWN_FOLDER_RPATH "$ORIGIN")
endif()
add_subdirectory("${PILOTLIGHT_LLAMA_DIR}/ggml" ggml EXCLUDE_FROM_ALL)

get_property(targets DIRECTORY "${PILOTLIGHT_LLAMA_DIR}/ggml/src" PROPERTY BUILDSYSTEM_TARGETS)
set(CPU_BACKENDS ${targets})
list(FILTER CPU_BACKENDS INCLUDE REGEX "^ggml-cpu")
list(FILTER CPU_BACKENDS EXCLUDE REGEX "-feats$")

# ggml's list of variants is all or nothing, and its library depends on each. One that is not wanted is linked from an
# empty file, in a folder of its own.
if(PILOTLIGHT_CPU_VARIANTS AND NOT PILOTLIGHT_CPU_VARIANTS STREQUAL "all")
  set(empty "${CMAKE_CURRENT_BINARY_DIR}/empty.c")
  file(WRITE "${empty}" "typedef int empty;\n")
  foreach(variant ${PILOTLIGHT_CPU_VARIANTS})
    if(NOT TARGET ggml-cpu-${variant})
      message(FATAL_ERROR "PILOTLIGHT_CPU_VARIANTS names '${variant}': ggml has ${CPU_BACKENDS}")
    endif()
  endforeach()
  foreach(target ${CPU_BACKENDS})
    string(REPLACE "ggml-cpu-" "" variant ${target})
    if(NOT variant IN_LIST PILOTLIGHT_CPU_VARIANTS)
      list(REMOVE_ITEM CPU_BACKENDS ${target})
      set_target_properties(${target} PROPERTIES SOURCES "${empty}" LINK_LIBRARIES ""
        LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unused" RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unused")
    endif()
  endforeach()
endif()

set(BACKEND_MODULES ${CPU_BACKENDS})
foreach(gpu ${PILOTLIGHT_GPU})
  if(NOT gpu STREQUAL "cpu")
    list(APPEND BACKEND_MODULES ggml-${gpu})
  endif()
endforeach()

foreach(target ggml-base ggml ${BACKEND_MODULES})
  # No version in the names: packages drop symbolic links, and all parts come from one build.
  set_property(TARGET ${target} PROPERTY VERSION)
  set_property(TARGET ${target} PROPERTY SOVERSION)
  # $<1:…> keeps multi-configuration generators from adding a folder of their own.
  set_target_properties(${target} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "$<1:${CMAKE_BINARY_DIR}/Release>"
    RUNTIME_OUTPUT_DIRECTORY "$<1:${CMAKE_BINARY_DIR}/Release>"
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "${OWN_FOLDER_RPATH}"
    # where a GPU toolkit lies outside the system's folders
    INSTALL_RPATH_USE_LINK_PATH ON)
endforeach()

# Only Windows needs import declarations. Without the definition llama.cpp's preprocessed sources are those of the static
# layout, and ccache has their objects already.
if(NOT WIN32)
  foreach(target ggml-base ggml)
    get_target_property(definitions ${target} INTERFACE_COMPILE_DEFINITIONS)
    list(REMOVE_ITEM definitions GGML_SHARED)
    set_property(TARGET ${target} PROPERTY INTERFACE_COMPILE_DEFINITIONS ${definitions})
  endforeach()
endif()

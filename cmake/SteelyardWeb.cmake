# The page of report.html: web/ bundled with its npm packages into steelyard_web_html, _css and _js.
#
#   STEELYARD_WEB=AUTO   as ON when npm is there and can get the packages; otherwise a warning, and the plain
#                        page of src/report/assets alone
#   STEELYARD_WEB=ON     without npm or the packages the build stops
#   STEELYARD_WEB=OFF    the plain page
#
# Packages come once, when the lock file is new, into <build>/web: the source tree stays as it is. Every package
# is checked against the lock file's hash, and no script of a package is run.
set(STEELYARD_WEB AUTO CACHE STRING "Interactive report by npm packages: AUTO, ON or OFF")
set_property(CACHE STEELYARD_WEB PROPERTY STRINGS AUTO ON OFF)

# Sets `result` to the reason why there are no packages; empty: they are in `folder`/node_modules.
function(steelyard_npm_packages folder result)
  set(${result} "" PARENT_SCOPE)
  find_program(STEELYARD_NODE NAMES node nodejs)
  find_program(STEELYARD_NPM NAMES npm)
  mark_as_advanced(STEELYARD_NODE STEELYARD_NPM)
  if(NOT STEELYARD_NODE OR NOT STEELYARD_NPM)
    set(${result} "node or npm is not installed" PARENT_SCOPE)
    return()
  endif()
  set(source ${PROJECT_SOURCE_DIR}/web)
  set(omit --omit=dev)
  if(STEELYARD_BUILD_TESTS)
    set(omit "")
  endif()
  file(SHA256 ${source}/package-lock.json wanted)
  string(APPEND wanted " ${omit}")
  set(stamp ${folder}/packages.stamp)
  if(EXISTS ${stamp})
    file(READ ${stamp} present)
    if(present STREQUAL wanted)
      return()
    endif()
  endif()
  message(STATUS "Getting the npm packages of web/")
  file(MAKE_DIRECTORY ${folder})
  file(COPY ${source}/package.json ${source}/package-lock.json ${source}/.npmrc DESTINATION ${folder})
  execute_process(
    COMMAND ${STEELYARD_NPM} ci ${omit} --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
            --fetch-timeout=30000 --loglevel=error
    WORKING_DIRECTORY ${folder}
    TIMEOUT 300
    RESULT_VARIABLE status
    OUTPUT_QUIET
    ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    string(REGEX REPLACE "\n.*" "" text "${text}")
    set(${result} "npm ci failed (${status}): ${text}" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${stamp} "${wanted}")
endfunction()

# Appends html, css and js of the page to the list called `list_name`: the bundle, or three empty files.
function(steelyard_web_assets list_name)
  set(folder ${PROJECT_BINARY_DIR}/web)
  set(problem "")
  if(STEELYARD_WEB)
    steelyard_npm_packages(${folder} problem)
    set(remedy "-DSTEELYARD_WEB=OFF builds the plain report, without the robot in 3D; scripts/deps build installs npm")
    if(problem AND STEELYARD_WEB STREQUAL "AUTO")
      message(WARNING "Reports will be plain: ${problem}. Configure again once npm works. ${remedy}")
    elseif(problem)
      message(FATAL_ERROR "The report's page cannot be built: ${problem}. ${remedy}")
    endif()
  endif()
  set(files ${folder}/out/web.html ${folder}/out/web.css ${folder}/out/web.js)
  if(STEELYARD_WEB AND NOT problem)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*.js ${PROJECT_SOURCE_DIR}/web/src/*.css)
    add_custom_command(
      OUTPUT ${files}
      COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/web/index.html ${folder}/out/web.html
      COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${folder}/node_modules ${STEELYARD_NODE}
              ${folder}/node_modules/esbuild/bin/esbuild ${PROJECT_SOURCE_DIR}/web/src/web.js --bundle --minify
              --format=iife --target=es2021 --charset=utf8 --legal-comments=inline --log-level=warning --loader:=text
              --alias:license-of-three=${folder}/node_modules/three/LICENSE
              --alias:license-of-uplot=${folder}/node_modules/uplot/LICENSE
              --outfile=${folder}/out/web.js
      DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/web/index.html ${folder}/packages.stamp
      COMMENT "Bundling the report's page"
      VERBATIM)
  else()
    file(MAKE_DIRECTORY ${folder}/out)
    foreach(file IN LISTS files)
      file(CONFIGURE OUTPUT ${file} CONTENT "")
    endforeach()
  endif()
  set(${list_name} ${${list_name}} ${files} PARENT_SCOPE)
endfunction()

# Installation, and the Debian package: `cpack --config build/release/CPackConfig.cmake` makes it from a build of the
# target `toolgate`. deploy/debian holds its configuration and scripts, deploy/systemd its unit.
set(deploy ${CMAKE_SOURCE_DIR}/deploy)
install(TARGETS toolgate RUNTIME DESTINATION bin)
install(FILES ${deploy}/systemd/toolgate.service DESTINATION lib/systemd/system)
install(FILES ${deploy}/systemd/toolgate.sysusers DESTINATION lib/sysusers.d RENAME toolgate.conf)
install(FILES ${deploy}/debian/config.yaml DESTINATION /etc/toolgate
        PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/SECURITY.md DESTINATION share/doc/toolgate)
# Depends on the packages of this machine that are part of the program.
install(CODE "execute_process(COMMAND ${deploy}/debian/copyright.sh ${CMAKE_BINARY_DIR}
                              OUTPUT_FILE ${CMAKE_BINARY_DIR}/copyright COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${CMAKE_BINARY_DIR}/copyright DESTINATION share/doc/toolgate)
install(FILES ${CMAKE_SOURCE_DIR}/docs/secured.yaml ${deploy}/load/unlimited.yaml
              ${deploy}/systemd/files.conf ${deploy}/systemd/bash.conf
        DESTINATION share/doc/toolgate/examples)

set(CPACK_GENERATOR DEB)
# The configuration goes to /etc whatever the prefix is.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME toolgate)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The toolgate authors <toolgate@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "service that runs tools for AI agents, safely")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "A gRPC service for backends that talk to a language model. It checks each tool
call that the model asks for, asks a person where that is needed, runs it,
records it, and can undo it. One process with an embedded database.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Time zones are read at run time. libcurl is loaded when something is fetched (keys of a token issuer, pages, pictures,
# a model's answers), libmicrohttpd when HTTP is served, libpq for a store in PostgreSQL.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "init-system-helpers, passwd, tzdata")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, libcurl4, libmicrohttpd12, libpq5")
# For the tools Bash and GraphQuery.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bubblewrap, universal-ctags")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${deploy}/debian/conffiles;${deploy}/debian/postinst;${deploy}/debian/prerm;${deploy}/debian/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)

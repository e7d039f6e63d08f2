"""Debian's libraries as Bazel targets: @system//:NAME, one for each name that CMake links."""

load(":targets.bzl", "TARGETS")

# By the name in CMake: pkg-config's modules. Abseil's follow a rule: absl::time is absl_time.
_MODULES = {
    "CLI11::CLI11": ["CLI11"],
    "GTest::gmock": ["gmock"],
    "GTest::gtest": ["gtest"],
    "GTest::gtest_main": ["gtest_main"],
    "OpenSSL::Crypto": ["libcrypto"],
    "OpenSSL::SSL": ["libssl"],
    "PkgConfig::cmark_gfm": ["libcmark-gfm"],
    "PkgConfig::gumbo": ["gumbo"],
    "PkgConfig::hiredis": ["hiredis"],
    "PkgConfig::icu": ["icu-uc", "icu-i18n"],
    "PkgConfig::jemalloc": ["jemalloc"],
    "PkgConfig::libxml2": ["libxml-2.0"],
    "PkgConfig::re2": ["re2"],
    "PkgConfig::seccomp": ["libseccomp"],
    "PkgConfig::libpq": ["libpq"],
    "PkgConfig::sqlite3": ["sqlite3"],
    "PkgConfig::utf8proc": ["libutf8proc"],
    "gRPC::gpr": ["gpr"],
    "gRPC::grpc++": ["grpc++"],
    "nlohmann_json::nlohmann_json": ["nlohmann_json"],
    "prometheus-cpp::core": ["prometheus-cpp-core"],
    "prometheus-cpp::pull": ["prometheus-cpp-pull"],
    "protobuf::libprotobuf": ["protobuf"],
    "simdjson::simdjson": ["simdjson"],
    "yaml-cpp": ["yaml-cpp"],
}

# Those without a module, or whose module names more than is needed.
_LINK_OPTIONS = {
    "Boost::context": ["-lboost_context"],
    "Threads::Threads": ["-pthread"],
    "dl": ["-ldl"],
    "ical::ical": ["-lical"],
}

def package_label(name):
    """Returns the label of a library by its name in CMake."""
    return "@system//:" + name.replace("::", ".")

def _modules_of(name):
    if name in _MODULES:
        return _MODULES[name]
    if name.startswith("absl::"):
        return [name.replace("::", "_")]
    fail("packages.bzl does not know the library {}; add it to _MODULES".format(name))

def _pkg_config(context, option, modules):
    result = context.execute(["pkg-config", option] + modules)
    if result.return_code != 0:
        fail("pkg-config {} {}: {}".format(option, " ".join(modules), result.stderr))
    return [word for word in result.stdout.strip().split(" ") if word]

def _link_options(context, name):
    if name in _LINK_OPTIONS:
        return _LINK_OPTIONS[name]
    return _pkg_config(context, "--libs", _modules_of(name))

# Links the library's folders of headers below /usr/include into the repository, so that the sandbox has them; returns
# their names there.
def _include_folders(context, name):
    if name in _LINK_OPTIONS:
        return []
    folders = []
    for flag in _pkg_config(context, "--cflags-only-I", _modules_of(name)):
        folder = "{}_include_{}".format(name.replace("::", "."), len(folders))
        context.symlink(flag[len("-I"):], folder)
        folders.append(folder)
    return folders

def _system_packages(context):
    rows = ['load("@rules_cc//cc:defs.bzl", "cc_library")', 'package(default_visibility = ["//visibility:public"])']
    names = {name: None for target in TARGETS for name in target.get("packages", [])}
    for name in sorted(names):
        folders = _include_folders(context, name)
        rows.append("cc_library(name = {}, linkopts = {}, hdrs = glob({}), includes = {})".format(
            repr(name.replace("::", ".")),
            repr(_link_options(context, name)),
            repr([folder + "/**" for folder in folders]),
            repr(folders),
        ))
    context.file("BUILD.bazel", "\n".join(rows) + "\n")

system_packages = repository_rule(
    implementation = _system_packages,
    doc = "The libraries that targets.bzl names, with the linker's options and folders of headers from pkg-config. Other headers are in /usr/include.",
    environ = ["PKG_CONFIG_PATH"],
    local = True,
)

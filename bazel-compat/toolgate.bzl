"""The targets of the tree, from the lists that CMake writes (targets.bzl)."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load(":direction.bzl", "direction_problem")
load(":generated.bzl", "embedded_files", "made_by_programs", "proto_sources")
load(":node_test.bzl", "node_test")
load(":packages.bzl", "package_label")
load(":targets.bzl", "COMPILE_OPTIONS", "CXX_STANDARD", "SCRIPT_TESTS", "TARGETS")
load(":test_data.bzl", "SCRIPT_DATA", "TEST_DATA", "UNSANDBOXED")

# Sources of a batch. Unlike under CMake, no libraries share one.
_BATCH = 16

# Headers that stand in one folder's library and are needed below it.
_SHARED_HEADERS = ["common/embedded_file.h"]

def _root():
    # The tree from the folder in which tests run, that of the main repository.
    name = native.repo_name() if hasattr(native, "repo_name") else native.repository_name()[1:]
    return "../" + name

def _headers(folder):
    return native.glob([folder + "/*.h"], allow_empty = True) if folder != "." else []

def _folder_of(path):
    return path.rpartition("/")[0]

def _quoted(definition):
    return definition.replace("\"", "\\\"")

def _check_direction(target, folders):
    for dep in target.get("deps", []):
        if dep not in folders:
            fail("{} depends on {}, which targets.bzl does not have".format(target["name"], dep))
        problem = direction_problem(target["folder"], folders[dep])
        if problem != None:
            fail("{} depends on {}, but {}".format(target["name"], dep, problem))

def _compile_options(target):
    options = ["-std=c++" + CXX_STANDARD]
    if "checked" in target:
        options = options + COMPILE_OPTIONS
    return options + target.get("compile_options", [])

def _deps(target):
    own = [":" + name for name in target.get("deps", [])]
    return own + [package_label(name) for name in target.get("packages", [])]

# Writes a source for each batch of what can be compiled together; returns them, the sources in them, and those that stay
# alone.
def _batches(target, stubs = []):
    sources = target.get("sources", []) + stubs
    alone = [target["folder"] + "/" + name for name in target.get("alone", [])]
    together = [source for source in sources if source not in alone]
    batches = []
    for i in range(0, len(together), _BATCH):
        out = "generated/unity/{}_{}.cc".format(target["name"], i // _BATCH)
        lines = [
            "#include \\\"{}\\\"".format(source.replace("generated/", ""))
            for source in together[i:i + _BATCH]
        ]
        native.genrule(
            name = "{}_unity_{}".format(target["name"], i // _BATCH),
            outs = [out],
            cmd = "printf '%s\\n' {} > $@".format(" ".join(["\"{}\"".format(line) for line in lines])),
        )
        batches.append(out)
    return batches, together, [source for source in sources if source in alone]

def _generated_sources(target):
    sources, headers = proto_sources(target)
    if "namespace" in target:
        more, more_headers = embedded_files(target)
        return sources + more, headers + more_headers
    return sources + ["generated/" + name for name in target.get("generated", [])], headers

def _library(target):
    generated, generated_headers = _generated_sources(target)
    is_generated = "namespace" in target or "messages" in target or "services" in target

    # Stubs can be compiled together; messages cannot, because they share names without linkage.
    stubs = [source for source in generated if source.endswith(".grpc.pb.cc")]
    generated = [source for source in generated if source not in stubs]
    batches, together, alone = _batches(target, stubs)
    cc_library(
        name = target["name"],
        srcs = generated + alone + select({
            ":unity": batches,
            "//conditions:default": together,
        }),
        hdrs = generated_headers + ([] if is_generated else _headers(target["folder"])),
        textual_hdrs = select({
            ":unity": together,
            "//conditions:default": [],
        }),
        copts = _compile_options(target) + select({
            ":unity": ["-Wno-subobject-linkage"],
            "//conditions:default": [],
        }),
        includes = ["generated"],
        local_defines = [_quoted(definition) for definition in target.get("definitions", [])],
        deps = _deps(target) + ([":shared_headers"] if "namespace" in target else []),
    )

def _program(target):
    cc_binary(
        name = target["name"],
        srcs = target["sources"],
        copts = _compile_options(target),
        linkopts = target.get("link_options", []),
        local_defines = [_quoted(definition) for definition in target.get("definitions", [])],
        deps = _deps(target),
    )

# Bazel's four classes of time limits.
def _timeout(seconds):
    for limit, name in [(60, "short"), (300, "moderate"), (900, "long")]:
        if int(seconds) <= limit:
            return name
    return "eternal"

# Labels of the files that patterns match. A pattern with a slash at its end is a folder.
def _files(patterns):
    folders = [pattern[:-1] for pattern in patterns if pattern.endswith("/")]
    files = [pattern for pattern in patterns if not pattern.endswith("/")]
    return folders + (native.glob(files) if files else [])

def _tags(target):
    return target.get("labels", []) + (["no-sandbox"] if target["name"] in UNSANDBOXED else [])

def _test(target):
    # Tests share headers: those of tests/support, and those beside them.
    folders = {_folder_of(source): None for source in target["sources"]}
    headers = [header for folder in folders for header in _headers(folder)]

    batches, together, alone = _batches(target)
    cc_library(
        name = target["name"] + "_batched",
        testonly = True,
        textual_hdrs = together,
    )
    cc_test(
        name = target["name"],
        timeout = _timeout(target["timeout"]),
        srcs = alone + headers + [":test_support_headers"] + select({
            ":unity": batches,
            "//conditions:default": together,
        }),
        args = [_root() + "/" + argument for argument in target.get("arguments", [])],
        copts = _compile_options(target) + select({
            # A local name may equal one of another source.
            ":unity": ["-Wno-shadow", "-Wno-subobject-linkage"],
            "//conditions:default": [],
        }),
        data = _files(TEST_DATA.get(target["name"], []) + [name + "/**" for name in target.get("arguments", [])]),
        env = {"TOOLGATE_SOURCE_DIR": _root()},
        local_defines = [_quoted(definition) for definition in target.get("definitions", [])],
        tags = _tags(target),
        deps = _deps(target) + select({
            ":unity": [":" + target["name"] + "_batched"],
            "//conditions:default": [],
        }),
    )

# A test by Node.js. Those with a configuration are about the packages that CMake's build makes.
def _script_test(test):
    if "configuration" in test:
        return []
    is_e2e = test["folder"] == "tests/e2e"
    node_test(
        name = test["name"],
        timeout = _timeout(test["timeout"]),
        arguments = test["arguments"],
        data = _files(SCRIPT_DATA[test["folder"]]),
        environment = test.get("environment", []),
        folder = test["folder"] + "/CMakeLists.txt",
        program = ":toolgate" if is_e2e else None,
        tags = _tags(test),
    )
    return [test["name"]]

def toolgate_targets():
    """All targets of the tree; fails if one depends on another against the direction of dependencies."""
    folders = {target["name"]: target["folder"] for target in TARGETS}
    scripts = [test["name"] for test in SCRIPT_TESTS]
    for name in TEST_DATA.keys() + UNSANDBOXED:
        if name not in folders and name not in scripts:
            fail("test_data.bzl names {}, which is no target".format(name))
    native.config_setting(
        name = "unity",
        define_values = {"unity": "1"},
    )
    native.filegroup(
        name = "test_support_headers",
        srcs = _headers("tests/support"),
    )
    cc_library(
        name = "shared_headers",
        hdrs = _SHARED_HEADERS,
    )
    made_by_programs()
    makers = {"library": _library, "program": _program, "test": _test}
    for target in TARGETS:
        _check_direction(target, folders)
        makers[target["kind"]](target)
    tests = [target["name"] for target in TARGETS if target["kind"] == "test"]
    for test in SCRIPT_TESTS:
        tests = tests + _script_test(test)
    native.test_suite(
        name = "all_tests",
        tests = tests,
    )
    native.filegroup(
        name = "everything",
        testonly = True,
        srcs = [target["name"] for target in TARGETS],
    )

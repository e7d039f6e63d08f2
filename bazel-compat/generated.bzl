"""Sources that the build generates, by the commands that CMake runs. They go to generated/, which is an include path."""

# From a folder of the tree's root.
_PROTO = "proto"

# Debian's package grpc-proto.
_SYSTEM_PROTO = "/usr/share/grpc-proto"

def _has(path):
    return len(native.glob([path], allow_empty = True)) == 1

# Folder with the file of a message or service: of the tree, which may be its root, or of the system.
def _import_folder(stem):
    if _has("{}/{}.proto".format(_PROTO, stem)):
        return _PROTO
    if _has(stem + ".proto"):
        return "."
    return _SYSTEM_PROTO

def _outputs(stems, suffix):
    return ["generated/{}.{}".format(stem, suffix) for stem in stems]

def proto_sources(target):
    """Generates the classes of a target's protos.

    Args:
      target: A row of TARGETS.
    Returns:
      Labels of the sources, and of the headers.
    """
    messages = target.get("messages", [])
    services = target.get("services", [])
    sources = _outputs(messages, "pb.cc") + _outputs(services, "grpc.pb.cc")
    headers = _outputs(messages, "pb.h") + _outputs(services, "grpc.pb.h")
    if not sources:
        return [], []
    all = {stem: None for stem in messages + services}
    folder = _import_folder(messages[0] if messages else services[0])

    # The tree's root, whatever name its repository has.
    root = "$$(dirname $(execpath CMakeLists.txt))"
    imports = [folder] if folder.startswith("/") else ["{}/{}".format(root, _PROTO)] + ([root] if folder == "." else [])
    command = ["protoc"] + ["-I " + path for path in imports]
    out = "$(RULEDIR)/generated"
    commands = ["mkdir -p " + out]
    if messages:
        commands.append(" ".join(command + ["--cpp_out=" + out] + [stem + ".proto" for stem in messages]))
    if services:
        plugin = "--plugin=protoc-gen-grpc=$$(command -v grpc_cpp_plugin)"
        commands.append(" ".join(command + [plugin, "--grpc_out=" + out] + [stem + ".proto" for stem in services]))
    # Settings of families may import those of providers and stores.
    files = native.glob(["proto/**/*.proto", "executors/**/settings.proto", "storage/**/settings.proto"])
    files += [stem + ".proto" for stem in all if folder == "." and stem + ".proto" not in files]
    native.genrule(
        name = target["name"] + "_protoc",
        srcs = files + ["CMakeLists.txt"],
        outs = sources + headers,
        cmd = " && ".join(commands),
    )
    return sources, headers

def embedded_files(target):
    """Generates a target's source and header that hold files as data, by cmake/embed.cmake.

    Args:
      target: A row of TARGETS.
    Returns:
      Labels of the source and of the header.
    """
    source = "generated/{}/{}.cc".format(target["folder"], target["name"])
    header = "generated/{}/{}.h".format(target["folder"], target["name"])
    files = ["{}/{}".format(target["folder"], name) for name in target["files"]]
    root = "$$PWD/$$(dirname $(execpath CMakeLists.txt))"
    arguments = {
        "OUT_SOURCE": "$(execpath {})".format(source),
        "OUT_HEADER": "$(execpath {})".format(header),
        "NAMESPACE": target["namespace"],
        "FUNCTION": target["function"],
        "INCLUDE": "{}/{}.h".format(target["folder"], target["name"]),
        "FILES": ";".join(["{}/{}".format(root, name) for name in files]),
        "ROOT": root,
    }
    native.genrule(
        name = target["name"] + "_embed",
        srcs = files + ["CMakeLists.txt", "cmake/embed.cmake"],
        outs = [source, header],
        cmd = "cmake {} -P $(execpath cmake/embed.cmake)".format(
            " ".join(["\"-D{}={}\"".format(key, value) for key, value in arguments.items()]),
        ),
    )
    return [source], [header]

def made_by_programs():
    """Rules for the sources that programs of the tree generate.

    The programs stand in `srcs`, not in `tools`: they run on the machine that builds, and would be compiled a second time as
    tools.
    """
    models = "security/injection_defence/models"
    for model in ["sentence", "passage"]:
        native.genrule(
            name = model + "_tables",
            srcs = [":toolgate_phrase_model_packer", "{}/{}_model.tsv".format(models, model)],
            outs = ["generated/{}/{}_tables.cc".format(models, model)],
            cmd = "$(execpath :toolgate_phrase_model_packer) $(execpath {}/{}_model.tsv) {} $@".format(models, model, model),
        )
    native.genrule(
        name = "confusables",
        srcs = [":toolgate_confusables_generator"],
        outs = ["generated/security/injection_defence/text/confusables.inc"],
        cmd = "$(execpath :toolgate_confusables_generator) $@",
    )

    # The names of its symbols come from the name of the file, hence the change of folder.
    native.genrule(
        name = "launcher_data",
        srcs = [":toolgate_sandbox_launcher"],
        outs = ["generated/executors/shell/sandbox/launcher_data.o"],
        cmd = "out=$$PWD/$@ && cd $$(dirname $(execpath :toolgate_sandbox_launcher)) && " +
              "ld -r -b binary -z noexecstack -o $$out toolgate_sandbox_launcher",
    )

"""Tests that Node.js runs."""

_SCRIPT = """#!/usr/bin/env bash
# Runs the test in its folder of the tree, against the program that Bazel has built.
set -euo pipefail
program={program}
[ -z "$program" ] || export TOOLGATE_BINARY_DIR=$(dirname "$PWD/$program")
{environment}cd "$(dirname "$(readlink -f {folder})")"
exec node {arguments}
"""

def _node_test(context):
    program = context.executable.program
    script = context.actions.declare_file(context.label.name + ".sh")
    context.actions.write(
        output = script,
        content = _SCRIPT.format(
            program = program.short_path if program else "",
            folder = context.file.folder.short_path,
            environment = "".join(["export {}\n".format(setting) for setting in context.attr.environment]),
            arguments = " ".join(context.attr.arguments),
        ),
        is_executable = True,
    )
    files = context.files.data + [context.file.folder] + ([program] if program else [])
    return [DefaultInfo(
        executable = script,
        runfiles = context.runfiles(files = files),
    )]

node_test = rule(
    implementation = _node_test,
    attrs = {
        "arguments": attr.string_list(doc = "Node.js's arguments."),
        "data": attr.label_list(allow_files = True),
        "environment": attr.string_list(doc = "Settings NAME=VALUE."),
        "folder": attr.label(allow_single_file = True, doc = "A file in the folder in which the test runs."),
        "program": attr.label(cfg = "target", doc = "Its folder is the test's TOOLGATE_BINARY_DIR.", executable = True),
    },
    test = True,
)

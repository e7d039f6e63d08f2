"""The direction of dependencies: common <- observability <- storage <- coordination <- executors <- security <- services <- cli.

tests/lint/boundaries.mjs checks the same rules for includes.
"""

# From the bottom up; a room depends on itself and on those before it. Rooms in one row do not know each other.
_ROOMS = [["proto"], ["common"], ["observability"], ["storage"], ["coordination"], ["executors", "interchange"], ["security"], ["services"], ["cli"]]

_LEVEL = {room: level for level, row in enumerate(_ROOMS) for room in row}

# By room: the only folders that it may know of a room, although the order allows all of them.
_ONLY = {
    # The rules of blocks, which every store of blocks shares.
    "interchange": {"executors": ["executors/blocks"]},
    # The interface of executors, no concrete one.
    "security": {"executors": ["executors"], "interchange": []},
}

def direction_problem(folder, dependency):
    """Says why a target may not depend on another.

    Args:
      folder: The target's folder, from the tree's root.
      dependency: The folder of the target that it depends on.
    Returns:
      A sentence, or None if it may.
    """
    room = folder.split("/")[0]
    below = dependency.split("/")[0]
    if room not in _LEVEL or room == below:
        return None
    if below not in _LEVEL:
        return None if below == "." else "{}/ may not depend on {}/, which is outside of the program".format(room, below)
    only = _ONLY.get(room, {}).get(below)
    if only != None:
        return None if dependency in only else "{}/ may not depend on {}".format(room, dependency)
    if _LEVEL[below] >= _LEVEL[room]:
        return "{}/ may not depend on {}/, which stands above or beside it".format(room, below)
    return None

"""What the scripts beside it share: a check prints one JSON object a line. Older packages are made to fit the client."""

import inspect
import json
import tempfile
from pathlib import Path

import filelock

if "mode" not in inspect.signature(filelock.FileLock.__init__).parameters:
    # Older releases of filelock do not take the mode of a lock file, on which nothing here depends.
    class OldFileLock(filelock.FileLock):
        def __init__(self, lock_file, timeout=-1, mode=None):
            super().__init__(lock_file, timeout=timeout)

    filelock.FileLock = OldFileLock

work = Path(tempfile.mkdtemp())


def check(method, call, expected="yes", holds=None):
    """Prints what a call did: "yes", or the name of its error. `holds` says whether its result is right."""
    try:
        result = call()
        got = "yes" if holds is None or holds(result) else f"wrong: {str(result)[:300]}"
    except Exception as error:
        result = None
        got = type(error).__name__
        if got != expected:
            got = f"{got}: {str(error)[:500]}"
    print(json.dumps({"method": method, "expected": expected, "got": got}), flush=True)
    return result


def folder(files):
    """A new folder with these files."""
    root = Path(tempfile.mkdtemp(dir=work))
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root

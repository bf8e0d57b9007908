"""``python -m hub sync``: sends what ended processes left on this machine."""

from __future__ import annotations

import argparse
import sys

from ._errors import HubError
from ._sync import sync


def main() -> int:
    """Exit codes: 0 everything is sent, 1 something is left, 2 wrong usage."""
    parser = argparse.ArgumentParser(
        prog="python -m hub",
        description="Sends the lines of runs that finished while the hub was away.",
        epilog="The hub is HUB_URL with HUB_TOKEN, or the one that `hub login` stored. Example: python -m hub sync --killed",
    )
    parser.add_argument("command", choices=["sync"])
    parser.add_argument("--killed", action="store_true", help="also send the lines of killed trainers, and end their runs as failed")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for each run (300, and HUB_EXIT_SECONDS, by default 10, where the hub does not answer)")
    options = parser.parse_args()
    try:
        done, left = sync(killed=options.killed, timeout_s=options.timeout)
    except (HubError, ValueError) as error:
        print(f"hub: {error}", file=sys.stderr)
        return 1
    for run in done:
        print(f"{run}: complete")
    for each in left:
        print(f"not sent: {each}")
    if not done and not left:
        print("Nothing is waiting on this machine.")
    return 1 if left else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""``npm run bench:log``: what a call of ``log`` costs beside a line of JSON that a script writes by hand.

In a folder as ``hub track`` gives it to its command. 100,000 calls of 20 values, in turns, in one process; processor
time of the process and wall time.
"""

import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../clients/python/src"))
folder = tempfile.mkdtemp(prefix="hub-bench-log-")
os.environ.update(HUB_RUN_DIR=folder, HUB_RUN_ID="run_bench", HUB_RUN_URL="http://127.0.0.1/runs/run_bench")

os.chdir(folder)
import hub  # noqa: E402
import hub.wandb as wandb  # noqa: E402

CALLS = 100_000
TURNS = 10
ROWS = [{f"metric/{k}": random.random() * 10 ** random.randint(-3, 3) for k in range(20)} for _ in range(1000)]

hand = open(os.path.join(folder, "by-hand.jsonl"), "w")
run = hub.init()
session = wandb.init()


def by_hand(row: dict, step: int) -> None:
    hand.write(json.dumps({"step": step, **row}) + "\n")
    hand.flush()


ways = {
    "a line of JSON by hand, flushed": by_hand,
    "hub: run.log": lambda row, step: run.log(row, step=step),
    "hub.wandb: log": lambda row, step: wandb.log(row, step=step),
}
spent = {name: [] for name in ways}
for turn in range(TURNS):
    for name, log in ways.items():
        cpu, wall = time.process_time(), time.perf_counter()
        for n in range(CALLS // TURNS):
            log(ROWS[n % len(ROWS)], turn * CALLS + n)
        spent[name].append((time.process_time() - cpu, time.perf_counter() - wall))

first, *_ = spent.values()
print("| what | processor, us a call | wall, us a call | processor / by hand | wall / by hand |\n|---|---|---|---|---|")
for name, turns in spent.items():
    per_call = [statistics.median(turn[kind] for turn in turns) * TURNS / CALLS * 1e6 for kind in (0, 1)]
    ratios = [statistics.median(a[kind] / b[kind] for a, b in zip(turns, first)) for kind in (0, 1)]
    print(f"| {name} | {per_call[0]:.0f} | {per_call[1]:.0f} | {ratios[0]:.2f} | {ratios[1]:.2f} |")

shutil.rmtree(folder)

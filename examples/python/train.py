"""A small training that really learns, reported to the hub by two lines (marked).

Logistic regression on points inside and outside a circle, by gradient descent on three features. Nothing besides Python is needed:

    PYTHONPATH=clients/python/src HUB_TOKEN=... python3 examples/python/train.py --steps 200
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import tempfile

import hub

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=2.0)
parser.add_argument("--points", type=int, default=400)
options = parser.parse_args()

rng = random.Random(1)
points = [(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(options.points)]
labels = [1.0 if x * x + y * y < 0.5 else 0.0 for x, y in points]
weights = [0.0, 0.0, 0.0]


def predict(x: float, y: float) -> float:
    bias, square_x, square_y = weights
    return 1 / (1 + math.exp(-(bias + square_x * x * x + square_y * y * y)))


run = hub.init("circle", config=vars(options))  # hub: line one

for step in range(options.steps):
    guesses = [predict(x, y) for x, y in points]
    errors = [guess - label for guess, label in zip(guesses, labels)]
    features = [(1.0, x * x, y * y) for x, y in points]
    for place in range(3):
        slope = sum(error * feature[place] for error, feature in zip(errors, features)) / len(points)
        weights[place] -= options.lr * slope
    loss = -sum(math.log(guess if label else 1 - guess) for guess, label in zip(guesses, labels)) / len(points)
    accuracy = sum((guess > 0.5) == (label > 0.5) for guess, label in zip(guesses, labels)) / len(points)
    run.log({"loss": loss, "reward": accuracy}, step=step)  # hub: line two

print(f"accuracy {accuracy:.3f}, loss {loss:.3f}, weights {[round(weight, 2) for weight in weights]}")

# Not needed for a run: what it learned, as a checkpoint in the run's model repo.
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "policy.json"), "w", encoding="utf-8") as file:
        json.dump({"weights": weights}, file)
    run.checkpoint(folder, options.steps)

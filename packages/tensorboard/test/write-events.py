"""Writes event files with the writers that trainers use, and what TensorBoard's own reader finds in them.

pip install tensorboard==2.21.0 tensorboardX==2.6.5 pillow soundfile; python write-events.py > events-of-trainers.json
"""

import base64
import glob
import json
import os
import tempfile

import numpy as np
from tensorboard import data_compat
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.plugins.histogram import metadata as histogram
from tensorboard.plugins.hparams import summary_v2 as hparams
from tensorboard.plugins.image import metadata as image
from tensorboard.plugins.scalar import metadata as scalar
from tensorboard.plugins.text import metadata as text
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util
from tensorboardX import SummaryWriter

root = tempfile.mkdtemp()
rows = np.random.default_rng(7)


def tensorboard_x():
    writer = SummaryWriter(os.path.join(root, "x"))
    for step in (0, 5):
        writer.add_scalar("loss/train", 0.1 + step, step)
        writer.add_histogram("weights", rows.normal(size=20), step, bins=8)
        writer.add_histogram("layers/bias", rows.uniform(1, 2, size=9), step, bins="tensorflow")
        writer.add_image("camera", rows.integers(0, 255, (3, 4, 6), dtype=np.uint8), step)
        writer.add_text("note", f"**step** {step} é", step)
    writer.add_audio("sound", np.zeros((40, 1), np.float32), 0, sample_rate=8000)
    writer.add_scalars("both", {"a": 1.5, "b": -2}, 5)
    writer.add_hparams({"lr": 1e-3, "steps": 100, "amp": True, "name": "wide"}, {"best": 0.25}, name="trial")
    writer.close()


def tensorboard_itself():
    writer = EventFileWriter(os.path.join(root, "tb"))

    def put(summary, step):
        summary = summary_pb2.Summary.FromString(summary.SerializeToString())
        writer.add_event(event_pb2.Event(wall_time=1700000000 + step, step=step, summary=summary))

    def tensor(plugin, tag, data, step, *more):
        metadata = plugin.create_summary_metadata(tag, "", *more)
        put(summary_pb2.Summary(value=[data_compat.make_summary(tag, metadata, data)]), step)

    tensor(scalar, "reward", np.float32(3.25), 1)
    tensor(scalar, "reward", np.float32(-1e-7), 2)
    tensor(scalar, "exact", np.float64(0.1), 2)
    tensor(histogram, "spread", np.array([[0, 0.5, 3], [0.5, 1, 4.0]]), 2)
    tensor(histogram, "nothing", np.zeros((0, 3)), 2)
    tensor(text, "table", np.array([["a", "b"], ["c", "d ä"]], dtype=object), 3)
    tensor(text, "one", "single", 3)
    tensor(image, "views", [b"4", b"5", b"\x89PNG one", b"\x89PNG two"], 3)
    put(hparams.hparams_config_pb([hparams.HParam("lr", hparams.RealInterval(0.0, 1.0))], [hparams.Metric("reward")]), 0)
    put(hparams.hparams_pb({"lr": 0.5, "units": 64, "optimizer": "sgd", "nesterov": False}), 0)
    writer.close()


def found_in(file):
    events = []
    for event in map(data_compat.migrate_event, EventFileLoader(file).Load()):
        for value in event.summary.value:
            plugin = value.metadata.plugin_data.plugin_name
            array = tensor_util.make_ndarray(value.tensor) if value.HasField("tensor") else np.zeros(0)
            flat = array.ravel().tolist()
            events.append({
                "step": event.step,
                "tag": value.tag,
                "plugin": plugin,
                "shape": list(array.shape),
                "values": [base64.b64encode(one).decode() if isinstance(one, bytes) else one for one in flat],
            })
    return events


tensorboard_x()
tensorboard_itself()
files = sorted(glob.glob(os.path.join(root, "**", "events.*"), recursive=True))
print(json.dumps([
    {
        "run": os.path.relpath(os.path.dirname(file), root),
        "bytes": base64.b64encode(open(file, "rb").read()).decode(),
        "events": found_in(file),
    }
    for file in files
]))

"""LeRobot's own modules (huggingface/lerobot at 7427f31801f944f5ec9ce53cda02862ce7d1638b, version 0.6.2), against a hub.

What they make with torch, pyarrow and draccus are bytes here; what they ask of the hub is their own. `processor/pipeline.py`
and `utils/io_utils.py` have the syntax of Python 3.12: the calls of the first are those of `HubMixin`, the second asks no hub.
"""

import dataclasses
import json
import os
import types
from pathlib import Path

from start import check, folder, work  # noqa: I001 (it makes older packages fit, so it comes first)
import lerobot_start  # noqa: F401 (the modules below need it)

from huggingface_hub import HfApi, RepoCard

from lerobot.common import train_utils
from lerobot.configs.policies import PreTrainedConfig
from lerobot.datasets import dataset_metadata, lerobot_dataset, utils as dataset_utils
from lerobot.policies import pretrained
from lerobot.utils import hub as hub_utils

OWNER = os.environ["HUB_TEST_OWNER"]
NAME = os.environ["HUB_TEST_NAME"]
# It asks huggingface.co whatever the endpoint is: docs/hugging-face.md says so, and how to go round it.
RepoCard.validate = lambda *args, **kwargs: None


def info_of(root):
    return dataset_utils.DatasetInfo.from_dict(json.loads((root / "meta/info.json").read_text()))


class Reader:
    """Finds the data where it was downloaded."""

    def __init__(self, root, **_):
        self.root = root

    def try_load(self):
        return (self.root / "data").is_dir()

    def load_and_activate(self):
        assert self.try_load()


dataset_metadata.load_info = info_of
for name in ("load_tasks", "load_episodes", "load_stats"):
    setattr(dataset_metadata, name, lambda root: None)
dataset_metadata.LeRobotDatasetMetadata.rescale_depth_stats = lambda self, unit: None
lerobot_dataset.DatasetReader = Reader


@PreTrainedConfig.register_subclass("replayed")
@dataclasses.dataclass
class ReplayedConfig(PreTrainedConfig):
    device: str = "cpu"

    def __post_init__(self):
        pass

    observation_delta_indices = action_delta_indices = reward_delta_indices = None

    def get_optimizer_preset(self):
        pass

    def get_scheduler_preset(self):
        pass

    def validate_features(self):
        pass


class ReplayedPolicy(pretrained.PreTrainedPolicy):
    config_class = ReplayedConfig
    name = "replayed"
    weights = b""

    get_optim_params = reset = forward = predict_action_chunk = select_action = None


WEIGHTS = os.urandom(200_000)


def save_weights(_state, directory, **_):
    (Path(directory) / "model.safetensors").write_bytes(WEIGHTS)


def load_weights(model, file, **_):
    model.weights = Path(file).read_bytes()
    return [], []


pretrained.save_torch_state_dict = save_weights
pretrained.load_model_as_safetensor = load_weights


def recorded(episodes):
    """The folder of a recorded data set."""
    info = {"codebase_version": "v3.0", "fps": 30, "features": {}, "total_frames": 10, "robot_type": "so100", "splits": {"train": f"0:{episodes}"}}
    return folder({
        "meta/info.json": json.dumps(info).encode(),
        "data/chunk-000/file-000.parquet": os.urandom(90_000),
        "videos/observation.images.top/chunk-000/file-000.mp4": os.urandom(120_000),
        "images/observation.images.top/frame-000000.png": b"left out",
    })


def push(repo, episodes, **how):
    dataset = lerobot_dataset.LeRobotDataset(repo, root=recorded(episodes))
    dataset.push_to_hub(tags=["pick"], **how)
    return sorted(HfApi().list_repo_files(repo, repo_type="dataset"))


def loaded(repo):
    return lerobot_dataset.LeRobotDataset(repo)


def train_config(repo):
    def save_pretrained(path):
        (Path(path) / "train_config.json").write_text('{"steps": 10}')

    return types.SimpleNamespace(steps=10, batch_size=8, seed=1, optimizer=None, dataset=types.SimpleNamespace(repo_id=repo), save_pretrained=save_pretrained)


def policy_of(repo):
    config = ReplayedConfig()
    config.repo_id = repo
    return ReplayedPolicy(config)


def checkpoint(step):
    root = Path(work) / "run" / "checkpoints" / step
    for path, content in {"pretrained_model/train_config.json": b"{}", "pretrained_model/model.safetensors": os.urandom(100_000), "training_state/training_step.json": b"{}"}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


if __name__ == "__main__":
    repo, model = f"{OWNER}/{NAME}", f"{OWNER}/{NAME}-act"
    files = ["README.md", "data/chunk-000/file-000.parquet", "meta/info.json", "videos/observation.images.top/chunk-000/file-000.mp4"]
    check("LeRobotDataset.push_to_hub", lambda: push(repo, 1), holds=lambda it: it == files)
    check("get_repo_versions", lambda: dataset_utils.get_repo_versions(repo), holds=lambda it: [str(one) for one in it] == ["3.0"])
    check("get_safe_version", lambda: [dataset_utils.get_safe_version(repo, version) for version in ("v3.0", "v3.1")], holds=lambda it: it == ["v3.0", "v3.0"])
    check("get_safe_version (too old)", lambda: dataset_utils.get_safe_version(repo, "v2.1"), "ForwardCompatibilityError")
    check("LeRobotDatasetMetadata", lambda: dataset_metadata.LeRobotDatasetMetadata(repo), holds=lambda it: it.info.robot_type == "so100" and it.revision == "v3.0")
    check("LeRobotDataset", lambda: loaded(repo), holds=lambda it: (it.root / "data/chunk-000/file-000.parquet").stat().st_size == 90_000 and it.meta.info.splits == {"train": "0:1"})
    check("LeRobotDataset.push_to_hub (again, the tag moves)", lambda: (push(repo, 2), dataset_metadata.LeRobotDatasetMetadata(repo, force_cache_sync=True).info.splits)[1], holds=lambda it: it == {"train": "0:2"})
    check("LeRobotDataset.push_to_hub (upload_large_folder, without videos)", lambda: push(f"{repo}-l", 1, upload_large_folder=True, push_videos=False), holds=lambda it: it == files[:3])
    check("LeRobotDataset.push_to_hub (branch)", lambda: push(repo, 3, branch="dev"), "BadRequestError")
    check("create_branch", lambda: dataset_utils.create_branch(repo, branch="dev", repo_type="dataset"), "BadRequestError")
    check("push_checkpoint_to_hub", lambda: [train_utils.push_checkpoint_to_hub(checkpoint(step), model) for step in ("005000", "010000")])
    check("push_checkpoint_to_hub (again)", lambda: train_utils.push_checkpoint_to_hub(checkpoint("010000"), model))
    check("find_latest_hub_checkpoint", lambda: hub_utils.find_latest_hub_checkpoint(model), holds=lambda it: it == "checkpoints/010000")
    check("find_latest_hub_checkpoint (at a step)", lambda: hub_utils.find_latest_hub_checkpoint(model, revision="005000"), holds=lambda it: it == "checkpoints/005000")
    check("resolve_resume_checkpoint", lambda: train_utils.resolve_resume_checkpoint(model, Path(work) / "resumed"), holds=lambda it: (it / "training_state/training_step.json").exists())
    check("HubMixin.push_to_hub (policy)", lambda: policy_of(model).push_to_hub(model, ignore_patterns=["*.tmp"]), holds=lambda it: len(it.oid) == 40)
    check("publish_trained_model", lambda: train_utils.publish_trained_model(train_config(repo), policy_of(model), None, None, None))
    check("the model card", lambda: HfApi().model_info(model), holds=lambda it: {"README.md", "config.json", "model.safetensors", "train_config.json"} <= {one.rfilename for one in it.siblings})
    check("HubMixin.push_to_hub (config)", lambda: hub_utils.HubMixin.push_to_hub(ReplayedConfig(), f"{model}-config"), holds=lambda it: len(it.oid) == 40)
    check("PreTrainedConfig.from_pretrained", lambda: PreTrainedConfig.from_pretrained(model), holds=lambda it: isinstance(it, ReplayedConfig))
    check("PreTrainedPolicy.from_pretrained", lambda: ReplayedPolicy.from_pretrained(model).weights, holds=lambda it: it == WEIGHTS)
    check("PreTrainedPolicy.from_pretrained (a step has no config)", lambda: ReplayedPolicy.from_pretrained(model, revision="005000"), "FileNotFoundError")
    check("PreTrainedConfig.from_pretrained (missing)", lambda: PreTrainedConfig.from_pretrained(f"{OWNER}/nothing"), "FileNotFoundError")

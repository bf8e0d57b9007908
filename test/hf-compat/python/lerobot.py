"""LeRobot's calls in their order (huggingface/lerobot at 7427f31801f944f5ec9ce53cda02862ce7d1638b, version 0.6.2).

`lerobot-record` pushes a data set, `LeRobotDataset` finds its version and loads it, `lerobot-train` pushes checkpoints
and a policy, and a training is resumed from the hub. What LeRobot makes with torch are bytes here.
"""

import contextlib
import os
from pathlib import Path

from start import check, folder, work  # noqa: I001 (it makes older packages fit, so it comes first)

import packaging.version
from huggingface_hub import DatasetCard, HfApi, ModelCard, RepoCard, hf_hub_download, snapshot_download
from huggingface_hub.errors import RevisionNotFoundError

OWNER = os.environ["HUB_TEST_OWNER"]
NAME = os.environ["HUB_TEST_NAME"]
VERSION = "v3.0"
# It asks huggingface.co whatever the endpoint is: docs/hugging-face.md says so, and how to go round it.
RepoCard.validate = lambda *args, **kwargs: None


def dataset_files(episodes):
    return {
        "meta/info.json": b'{"codebase_version": "v3.0", "robot_type": "so100", "total_episodes": %d, "total_frames": 10, "fps": 30}' % episodes,
        "meta/stats.json": b"{}",
        "data/chunk-000/file-000.parquet": os.urandom(90_000),
        "videos/observation.images.top/chunk-000/file-000.mp4": os.urandom(120_000),
        "images/observation.images.top/frame-000000.png": b"left out",
    }


def push_dataset(repo, episodes):
    """LeRobotDataset.push_to_hub."""
    api = HfApi()
    api.create_repo(repo_id=repo, private=None, repo_type="dataset", exist_ok=True)
    api.upload_folder(repo_id=repo, folder_path=folder(dataset_files(episodes)), repo_type="dataset", revision=None, allow_patterns=None, ignore_patterns=["images/"])
    card = DatasetCard("---\nlicense: apache-2.0\ntask_categories:\n- robotics\ntags:\n- LeRobot\n---\n# recorded\n")
    card.push_to_hub(repo_id=repo, repo_type="dataset", revision=None)
    with contextlib.suppress(RevisionNotFoundError):
        api.delete_tag(repo, tag=VERSION, repo_type="dataset")
    api.create_tag(repo, tag=VERSION, revision=None, repo_type="dataset")


def safe_version(repo):
    """get_safe_version: the versions among branches and tags."""
    refs = HfApi().list_repo_refs(repo, repo_type="dataset")
    versions = []
    for ref in refs.branches + refs.tags:
        with contextlib.suppress(packaging.version.InvalidVersion):
            versions.append(packaging.version.parse(ref.name))
    return f"v{max(versions)}"


def push_checkpoint(repo, step):
    """push_checkpoint_to_hub."""
    api = HfApi()
    api.create_repo(repo_id=repo, repo_type="model", private=None, exist_ok=True)
    files = {"pretrained_model/model.safetensors": os.urandom(100_000), "training_state/training_step.json": b"{}"}
    commit = api.upload_folder(folder_path=str(folder(files)), repo_id=repo, repo_type="model", path_in_repo=f"checkpoints/{step}", commit_message=f"checkpoint {step}")
    api.create_tag(repo_id=repo, tag=step, revision=commit.oid, repo_type="model", exist_ok=True)
    return commit.repo_url.repo_id


def resume(repo):
    """find_latest_hub_checkpoint and resolve_resume_checkpoint."""
    files = HfApi().list_repo_files(repo_id=repo, repo_type="model", revision=None)
    steps = {name for file in files if file.startswith("checkpoints/") and (name := file.split("/")[1]).isdigit()}
    latest = f"checkpoints/{max(steps, key=int)}"
    snapshot_download(repo_id=repo, repo_type="model", allow_patterns=f"{latest}/*", local_dir=str(work / "resumed"))
    return sorted(str(path.relative_to(work / "resumed")) for path in (work / "resumed" / "checkpoints").rglob("*") if path.is_file())


def push_policy(repo):
    """publish_trained_model."""
    api = HfApi()
    name = api.create_repo(repo_id=repo, private=None, exist_ok=True).repo_id
    api.upload_folder(repo_id=name, repo_type="model", folder_path=folder({"config.json": b'{"type": "act"}', "model.safetensors": os.urandom(200_000)}),
                      commit_message="Upload policy", revision=None, create_pr=None, allow_patterns=None, ignore_patterns=["*.tmp", "*.log"], delete_patterns=None)
    root = folder({"train_config.json": b"{}"})
    ModelCard("---\nlicense: apache-2.0\nlibrary_name: lerobot\npipeline_tag: robotics\ndatasets: %s/%s\ntags:\n- robotics\n- lerobot\n---\n# act\n" % (OWNER, NAME)).save(root / "README.md")
    return api.upload_folder(repo_id=name, repo_type="model", folder_path=root, commit_message="Upload model card and train config",
                             allow_patterns=["*.safetensors", "*.json", "*.yaml", "*.md"], ignore_patterns=["*.tmp", "*.log"]).repo_url.url


if __name__ == "__main__":
    repo, policy = f"{OWNER}/{NAME}", f"{OWNER}/{NAME}-act"
    check("lerobot-record --dataset.repo_id", lambda: push_dataset(repo, 1))
    check("get_safe_version", lambda: safe_version(repo), holds=lambda it: it == VERSION)
    check("LeRobotDataset(repo_id): its metadata", lambda: Path(snapshot_download(repo, repo_type="dataset", revision=VERSION, allow_patterns="meta/")),
          holds=lambda it: (it / "meta/info.json").exists() and not (it / "data").exists())
    check("LeRobotDataset(repo_id): its files", lambda: Path(snapshot_download(repo, repo_type="dataset", revision=VERSION)),
          holds=lambda it: (it / "data/chunk-000/file-000.parquet").stat().st_size == 90_000 and not (it / "images").exists())
    check("lerobot-record again, the tag moves", lambda: (push_dataset(repo, 2), Path(snapshot_download(repo, repo_type="dataset", revision=VERSION, force_download=True)))[1],
          holds=lambda it: b'"total_episodes": 2' in (it / "meta/info.json").read_bytes())
    check("lerobot-train --save_checkpoint_to_hub", lambda: [push_checkpoint(policy, step) for step in ("005000", "010000")], holds=lambda it: it == [policy, policy])
    check("lerobot-train --policy.repo_id", lambda: push_policy(policy), holds=lambda it: it.endswith(policy))
    check("from_pretrained(repo_id)", lambda: [hf_hub_download(repo_id=policy, filename=name) for name in ("config.json", "model.safetensors")])
    check("from_pretrained(repo_id, revision=step)", lambda: hf_hub_download(repo_id=policy, filename="checkpoints/005000/pretrained_model/model.safetensors", revision="005000"))
    check("resume a training from the hub", lambda: resume(policy),
          holds=lambda it: it == ["checkpoints/010000/pretrained_model/model.safetensors", "checkpoints/010000/training_state/training_step.json"])

"""Calls every public method of HfApi that touches repos, files, commits, refs and lists, and what is built on them.

Prints one JSON object a line: the method, what is expected of it ("yes", or the error it gets), and what it got.
The hub, the key and the names come by the environment.
"""

import io
import os
import subprocess
import sys
from pathlib import Path

from start import check, folder, work  # noqa: I001 (it makes older packages fit, so it comes first)

from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationCopy,
    CommitOperationDelete,
    HfApi,
    HfFileSystem,
    RepoUrl,
    get_hf_file_metadata,
    hf_hub_download,
    hf_hub_url,
    snapshot_download,
)
from huggingface_hub.hf_api import LFSFileInfo
from huggingface_hub.utils import get_session

OWNER = os.environ["HUB_TEST_OWNER"]
NAME = os.environ["HUB_TEST_NAME"]
api = HfApi()


def whole():
    repo = f"{OWNER}/{NAME}"
    data = {"repo_id": repo, "repo_type": "dataset"}
    big = os.urandom(300_000)

    check("whoami", lambda: api.whoami(), holds=lambda me: me["name"] == OWNER)
    check("auth_check (missing)", lambda: api.auth_check(repo, repo_type="dataset"), "RepositoryNotFoundError")
    url = check("create_repo", lambda: api.create_repo(repo, repo_type="dataset", private=True),
                holds=lambda it: isinstance(it, RepoUrl) and it.repo_id == repo and it.repo_type == "dataset")
    check("create_repo (again)", lambda: api.create_repo(repo, repo_type="dataset"), "HfHubHTTPError")
    check("create_repo (exist_ok)", lambda: api.create_repo(repo, repo_type="dataset", exist_ok=True), holds=lambda it: it == url)
    check("create_repo (other kind)", lambda: api.create_repo(repo, exist_ok=True), "BadRequestError")
    check("create_repo (space)", lambda: api.create_repo(f"{OWNER}/s", repo_type="space", space_sdk="static"), "RepositoryNotFoundError")
    check("repo_exists", lambda: api.repo_exists(**data), holds=lambda it: it is True)
    check("repo_exists (no)", lambda: api.repo_exists(f"{OWNER}/nothing"), holds=lambda it: it is False)
    check("auth_check", lambda: api.auth_check(repo, repo_type="dataset"))
    check("upload_file", lambda: api.upload_file(path_or_fileobj=b"# pick\n", path_in_repo="README.md", commit_message="first", **data),
          holds=lambda it: len(it.oid) == 40)
    check("upload_file (LFS)", lambda: api.upload_file(path_or_fileobj=big, path_in_repo="data/big.bin", **data))
    check("upload_file (unchanged)", lambda: (api.upload_file(path_or_fileobj=big, path_in_repo="data/big.bin", **data).oid, api.dataset_info(repo).sha),
          holds=lambda it: it[0] == it[1])
    check("upload_file (empty)", lambda: api.upload_file(path_or_fileobj=b"", path_in_repo="data/empty", **data))
    check("upload_folder", lambda: api.upload_folder(folder_path=folder({"a.txt": b"a", "sub/b.txt": b"b", "sub/c.bin": os.urandom(70_000)}), path_in_repo="folder", **data))
    check("upload_folder (delete_patterns)", lambda: api.upload_folder(folder_path=folder({"a.txt": b"new"}), path_in_repo="folder", delete_patterns="sub/*", **data))
    check("list_repo_files", lambda: sorted(api.list_repo_files(**data)),
          holds=lambda it: it == ["README.md", "data/big.bin", "data/empty", "folder/a.txt"])
    head = api.dataset_info(repo).sha
    check("create_commit", lambda: api.create_commit(operations=[
        CommitOperationAdd("x/1.txt", b"1"), CommitOperationAdd("x/2.bin", io.BytesIO(os.urandom(80_000))),
        CommitOperationCopy("data/big.bin", "x/copy.bin"), CommitOperationCopy("README.md", "x/README.md"),
        CommitOperationDelete("folder/")], commit_message="many\n\nat once", commit_description="why", parent_commit=head, **data))
    check("create_commit (old parent)", lambda: api.create_commit(operations=[CommitOperationAdd("y", b"y")], commit_message="late", parent_commit=head, **data), "HfHubHTTPError")
    check("create_commit (nothing half done)", lambda: api.file_exists(repo, "y", repo_type="dataset"), holds=lambda it: it is False)
    check("create_commit (path that leaves)", lambda: get_session().post(
        f"{api.endpoint}/api/datasets/{repo}/commit/main", headers={**api._build_hf_headers(), "content-type": "application/x-ndjson"},
        content='{"key":"header","value":{"summary":"s"}}\n{"key":"file","value":{"path":"../x","content":"","encoding":"base64"}}').status_code,
        holds=lambda it: it == 400)
    check("create_commit (create_pr)", lambda: api.create_commit(operations=[CommitOperationAdd("y", b"y")], commit_message="pr", create_pr=True, **data), "BadRequestError")
    check("create_commit (branch)", lambda: api.create_commit(operations=[CommitOperationAdd("y", b"y")], commit_message="b", revision="dev", **data), "RevisionNotFoundError")
    check("preupload_lfs_files", lambda: preupload(data))
    check("copy_files", lambda: api.copy_files(f"hf://datasets/{repo}/data/big.bin", f"hf://datasets/{repo}/copied.bin"))
    check("delete_file", lambda: api.delete_file("x/1.txt", **data))
    check("delete_file (missing)", lambda: api.delete_file("nothing", **data), "RemoteEntryNotFoundError")
    check("delete_files", lambda: api.delete_files(delete_patterns=["x/*.bin"], **data))
    check("delete_folder", lambda: api.delete_folder("x", **data))
    check("list_repo_tree", lambda: [it.path for it in api.list_repo_tree(**data)],
          holds=lambda it: it == ["README.md", "copied.bin", "data", "lfs.bin"])
    check("list_repo_tree (recursive, expand)", lambda: {it.path: it.last_commit.oid for it in api.list_repo_tree(recursive=True, expand=True, **data)},
          holds=lambda it: len(it["data/big.bin"]) == 40 and len(it["data"]) == 40)
    check("list_repo_tree (missing)", lambda: list(api.list_repo_tree(path_in_repo="nothing", **data)), "RemoteEntryNotFoundError")
    check("get_paths_info", lambda: api.get_paths_info(paths=["data", "data/big.bin", "nothing"], **data),
          holds=lambda it: [one.path for one in it] == ["data", "data/big.bin"] and it[1].lfs.size == 300_000)
    check("get_paths_info (expand)", lambda: api.get_paths_info(paths=["README.md", "data"], expand=True, **data),
          holds=lambda it: {one.last_commit.oid for one in it} <= {one.commit_id for one in api.list_repo_commits(**data)} and it[0].security is None)
    check("file_exists", lambda: api.file_exists(repo, "README.md", repo_type="dataset"), holds=lambda it: it is True)
    check("repo_info", lambda: api.repo_info(files_metadata=True, **data), holds=lambda it: len(it.siblings) == 5 and it.siblings[2].size == 300_000)
    check("dataset_info", lambda: api.dataset_info(repo), holds=lambda it: it.private and it.id == repo)
    check("dataset_info (expand)", lambda: api.dataset_info(repo, expand=["sha", "tags"]), holds=lambda it: len(it.sha) == 40)
    check("model_info (data set)", lambda: api.model_info(repo), "RepositoryNotFoundError")
    check("list_repo_commits", lambda: api.list_repo_commits(**data), holds=lambda it: it[-2].title == "first" and len(it) > 8)
    check("list_repo_refs", lambda: api.list_repo_refs(**data), holds=lambda it: it.branches[0].name == "main" and it.tags == [])
    check("create_tag", lambda: api.create_tag(repo, tag="v3.0", tag_message="the first", repo_type="dataset"))
    check("create_tag (again)", lambda: api.create_tag(repo, tag="v3.0", repo_type="dataset"), "HfHubHTTPError")
    check("create_tag (exist_ok)", lambda: api.create_tag(repo, tag="v3.0", repo_type="dataset", exist_ok=True))
    check("create_tag (digits)", lambda: api.create_tag(repo, tag="005000", revision=head, repo_type="dataset"))
    check("list_repo_refs (tags)", lambda: sorted(tag.name for tag in api.list_repo_refs(**data).tags), holds=lambda it: it == ["005000", "v3.0"])
    check("revision_exists", lambda: (api.revision_exists(repo, "005000", repo_type="dataset"), api.revision_exists(repo, "1", repo_type="dataset")), holds=lambda it: it == (True, False))
    check("delete_tag", lambda: api.delete_tag(repo, tag="005000", repo_type="dataset"))
    check("delete_tag (missing)", lambda: api.delete_tag(repo, tag="005000", repo_type="dataset"), "RevisionNotFoundError")
    check("create_branch (main, exist_ok)", lambda: api.create_branch(repo, branch="main", exist_ok=True, repo_type="dataset"))
    check("create_branch", lambda: api.create_branch(repo, branch="dev", repo_type="dataset"), "BadRequestError")
    check("delete_branch", lambda: api.delete_branch(repo, branch="dev", repo_type="dataset"), "RevisionNotFoundError")
    check("super_squash_history", lambda: api.super_squash_history(repo, repo_type="dataset"), "HfHubHTTPError")
    check("list_lfs_files", lambda: list(api.list_lfs_files(repo, repo_type="dataset")), "HfHubHTTPError")
    check("list_datasets", lambda: [it.id for it in api.list_datasets(author=OWNER, search=NAME.lower().replace("_", "-").replace(".", "-"))], holds=lambda it: it == [repo])
    check("list_models", lambda: [it.id for it in api.list_models(author=OWNER, limit=5)])
    check("list_spaces", lambda: list(api.list_spaces()), "RepositoryNotFoundError")
    check("update_repo_settings", lambda: (api.update_repo_settings(repo, private=False, repo_type="dataset"), api.dataset_info(repo).private)[1], holds=lambda it: it is False)
    check("update_repo_settings (gated)", lambda: api.update_repo_settings(repo, gated="auto", repo_type="dataset"), "BadRequestError")
    check("get_hf_file_metadata", lambda: get_hf_file_metadata(hf_hub_url(repo, "data/big.bin", repo_type="dataset")), holds=lambda it: it.size == 300_000 and len(it.etag) == 64)
    path = check("hf_hub_download", lambda: hf_hub_download(filename="data/big.bin", **data), holds=lambda it: Path(it).read_bytes() == big)
    check("hf_hub_download (cached)", lambda: hf_hub_download(filename="data/big.bin", **data), holds=lambda it: it == path)
    check("hf_hub_download (local_dir)", lambda: hf_hub_download(filename="README.md", local_dir=str(work / "local"), **data), holds=lambda it: Path(it).read_bytes() == b"# pick\n")
    check("hf_hub_download (empty)", lambda: hf_hub_download(filename="data/empty", **data), holds=lambda it: Path(it).read_bytes() == b"")
    check("hf_hub_download (missing)", lambda: hf_hub_download(filename="nothing", **data), "RemoteEntryNotFoundError")
    check("hf_hub_download (tag)", lambda: hf_hub_download(filename="README.md", revision="v3.0", **data))
    check("snapshot_download", lambda: sorted(str(it.relative_to(root)) for root in [Path(snapshot_download(**data))] for it in root.rglob("*") if it.is_file()),
          holds=lambda it: it == ["README.md", "copied.bin", "data/big.bin", "data/empty", "lfs.bin"])
    check("snapshot_download (patterns)", lambda: snapshot_download(allow_patterns="*.md", revision="v3.0", local_dir=str(work / "part"), **data),
          holds=lambda it: (work / "part" / "README.md").exists() and not (work / "part" / "copied.bin").exists())
    check("verify_repo_checksums", lambda: api.verify_repo_checksums(**data), holds=lambda it: it.checked_count == 5 and not it.mismatches)
    check("get_safetensors_metadata (none)", lambda: api.get_safetensors_metadata(**data), "NotASafetensorsRepoError")
    check("create_repo (other)", lambda: api.create_repo(f"{OWNER}/policy"))
    # Version 2 has one method for folders of any size.
    large = getattr(api, "upload_large_folder", None)
    options = {"repo_id": f"{OWNER}/policy", "repo_type": "model",
               "folder_path": folder({f"f{i}.bin": os.urandom(1000 if i else 70_000) for i in range(20)})}
    check("upload_large_folder", lambda: large(print_report=False, **options) if large else api.upload_folder(**options))
    check("list_repo_files (upload_large_folder)", lambda: len(api.list_repo_files(f"{OWNER}/policy")), holds=lambda it: it == 20)
    check("resolve_revision", lambda: api.resolve_revision(**data, revision="v3.0"), holds=lambda it: len(it.resolved) == 40)
    check("duplicate_repo", lambda: api.duplicate_repo(repo, f"{OWNER}/again", repo_type="dataset"), "HfHubHTTPError")
    check("list_user_repos", lambda: list(api.list_user_repos()), "HfHubHTTPError")
    check("get_full_repo_name", lambda: api.get_full_repo_name("policy"), holds=lambda it: it == f"{OWNER}/policy")
    check("get_dataset_tags", lambda: api.get_dataset_tags(), "HfHubHTTPError")
    check("get_model_tags", lambda: api.get_model_tags(), "HfHubHTTPError")
    check("list_dataset_parquet_files", lambda: list(api.list_dataset_parquet_files(repo)), "ValueError")
    check("permanently_delete_lfs_files", lambda: api.permanently_delete_lfs_files(repo, [lfs_file()], repo_type="dataset"), "HfHubHTTPError")
    check("get_dataset_leaderboard", lambda: api.get_dataset_leaderboard(repo), "HfHubHTTPError")
    check("space_info", lambda: api.space_info(f"{OWNER}/s"), "RepositoryNotFoundError")
    check("create_pull_request", lambda: api.create_pull_request(repo, title="t", repo_type="dataset"), "HfHubHTTPError")
    check("create_discussion", lambda: api.create_discussion(repo, title="t", repo_type="dataset"), "HfHubHTTPError")
    check("get_repo_discussions", lambda: list(api.get_repo_discussions(repo, repo_type="dataset")), "HfHubHTTPError")
    check("list_repo_likers", lambda: list(api.list_repo_likers(repo, repo_type="dataset")), "HfHubHTTPError")
    check("list_liked_repos", lambda: api.list_liked_repos(OWNER), "HfHubHTTPError")
    check("list_pending_access_requests", lambda: list(api.list_pending_access_requests(repo, repo_type="dataset")), "HfHubHTTPError")
    check("get_user_overview", lambda: api.get_user_overview(OWNER), "HfHubHTTPError")
    check("upload_file (safetensors)", lambda: api.upload_file(path_or_fileobj=safetensors(), path_in_repo="model.safetensors", repo_id=f"{OWNER}/policy"))
    check("get_safetensors_metadata", lambda: api.get_safetensors_metadata(f"{OWNER}/policy"), holds=lambda it: it.parameter_count == {"F32": 2})
    check("parse_safetensors_file_metadata", lambda: api.parse_safetensors_file_metadata(f"{OWNER}/policy", "model.safetensors"), holds=lambda it: it.parameter_count == {"F32": 2})
    check("run_as_future", lambda: api.upload_file(path_or_fileobj=b"f", path_in_repo="f", run_as_future=True, repo_id=f"{OWNER}/policy").result())
    check("upload_file (README without YAML)", lambda: api.upload_file(path_or_fileobj=b"---\nlicense: [\n---\n", path_in_repo="README.md", **data), "ValueError")
    file_system(repo)
    command(repo)
    check("move_repo", lambda: api.move_repo(repo, f"{repo}-moved", repo_type="dataset"))
    check("repo_info (by the old name)", lambda: api.repo_info(**data), holds=lambda it: it.id == f"{repo}-moved")
    check("hf_hub_download (by the old name)", lambda: hf_hub_download(filename="data/big.bin", force_download=True, **data), holds=lambda it: Path(it).read_bytes() == big)
    check("move_repo (back)", lambda: api.move_repo(f"{repo}-moved", repo, repo_type="dataset"))
    check("delete_repo", lambda: api.delete_repo(repo, repo_type="dataset"))
    check("delete_repo (missing)", lambda: api.delete_repo(repo, repo_type="dataset"), "RepositoryNotFoundError")
    check("delete_repo (missing_ok)", lambda: api.delete_repo(repo, repo_type="dataset", missing_ok=True))


def safetensors():
    header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    return len(header).to_bytes(8, "little") + header + bytes(8)


def lfs_file():
    return LFSFileInfo(fileOid="0" * 40, filename="x", oid="0" * 64, pushedAt="2026-01-01T00:00:00.000Z", ref="main", size=1)


def preupload(data):
    addition = CommitOperationAdd("lfs.bin", os.urandom(100_000))
    api.preupload_lfs_files(additions=[addition], **data)
    return api.create_commit(operations=[addition], commit_message="sent before", **data)


def file_system(repo):
    fs = HfFileSystem()
    root = f"datasets/{repo}"
    check("HfFileSystem.ls", lambda: fs.ls(root, detail=False), holds=lambda it: f"{root}/README.md" in it and f"{root}/data" in it)
    check("HfFileSystem.info", lambda: fs.info(f"{root}/data/big.bin"), holds=lambda it: it["size"] == 300_000)
    check("HfFileSystem.modified", lambda: (fs.modified(f"{root}/data/big.bin"), fs.modified(f"{root}/data")), holds=lambda it: it[0] <= it[1])
    check("HfFileSystem.find", lambda: fs.find(root), holds=lambda it: f"{root}/data/big.bin" in it)
    check("HfFileSystem.exists", lambda: (fs.exists(f"{root}/README.md"), fs.exists(f"{root}/nothing")), holds=lambda it: it == (True, False))
    check("HfFileSystem.open (read a range)", lambda: fs.open(f"{root}/data/big.bin", block_size=1000).read(10), holds=lambda it: len(it) == 10)
    check("HfFileSystem.read_text", lambda: fs.read_text(f"{root}@v3.0/README.md"), holds=lambda it: it == "# pick\n")
    check("HfFileSystem.open (write)", lambda: write(fs, f"{root}/written.txt"), holds=lambda it: it == "written")
    check("HfFileSystem.cp_file", lambda: fs.cp_file(f"{root}/written.txt", f"{root}/copied.txt"))
    check("HfFileSystem.rm_file", lambda: (fs.rm_file(f"{root}/written.txt"), fs.exists(f"{root}/written.txt"))[1], holds=lambda it: it is False)


def write(fs, path):
    with fs.open(path, "w") as file:
        file.write("written")
    return fs.read_text(path)


def command(repo):
    def hf(*words):
        done = subprocess.run([sys.executable, "-c", "import start; from huggingface_hub.cli.hf import main; main()", *words], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(done.stderr[-500:])
        return done.stdout

    check("hf auth whoami", lambda: hf("auth", "whoami"), holds=lambda it: OWNER in it)
    check("hf upload", lambda: hf("upload", repo, str(folder({"by/hf.txt": b"hf"})), ".", "--repo-type", "dataset"))
    check("hf download", lambda: hf("download", repo, "by/hf.txt", "--repo-type", "dataset", "--local-dir", str(work / "hf")),
          holds=lambda it: (work / "hf" / "by" / "hf.txt").read_bytes() == b"hf")
    check("hf repos tag create", lambda: hf("repos", "tag", "create", repo, "v9", "--repo-type", "dataset"))
    check("hf repos tag list", lambda: hf("repos", "tag", "list", repo, "--repo-type", "dataset"), holds=lambda it: "v9" in it)
    check("hf repos delete-files", lambda: hf("repos", "delete-files", repo, "by/hf.txt", "--repo-type", "dataset"))


if __name__ == "__main__":
    whole()

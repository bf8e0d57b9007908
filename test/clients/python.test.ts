// @module-tag long
/** The Python client: its own unit tests, and programs of its users against a complete hub. */
import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { walkToPush } from '@hub/client/walk'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everything } from '../../packages/client/src/globs.ts'
import { secretsIn } from '../../packages/client/src/secrets/secret-rules.ts'
import { newKeyToken } from '../../src/auth/api-key.ts'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'
import { noPython, runPython } from '../support/python.ts'

const hub = contractHub()
let base: string
let ada: Person
let env: Record<string, string>

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-python-'))
  ada = await hub.person()
  env = {
    HUB_URL: hub.running.url,
    HUB_TOKEN: await hub.key(ada, { scope: 'train' }),
    HUB_STATE_DIR: join(base, 'state'),
  }
})
afterAll(() => rm(base, { recursive: true, force: true }))

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const get = async (path: string): Promise<Json> => (await hub.call(ada, 'GET', path)).json
const metricsOf = (id: string) =>
  hub.sql<{ line: Json; step: number }>('select line, step from run_metrics where run_id = $1 order by seq', [id])
const logOf = async (id: string) => (await hub.send(ada, 'GET', `/v1/runs/${id}/logs/download`)).text

async function program(code: string, more: Record<string, string> = {}) {
  const file = join(base, `${newName()}.py`)
  await writeFile(file, code)
  return runPython([file], { cwd: base, env: { ...env, ...more } })
}

/** The last line of a program's output, as JSON. */
async function answer(code: string, more: Record<string, string> = {}): Promise<Json> {
  const { code: status, out, err } = await program(code, more)
  expect([status, err]).toEqual([0, ''])
  return JSON.parse(out.trim().split('\n').at(-1) ?? '')
}

describe('the Python client', needs(noPython), () => {
  it('makes a run of a script with two lines: config, metrics, output and end', async () => {
    const id = await answer(`
import hub
run = hub.init("two lines", name="first try", config={"lr": 0.5, "steps": 3})
for loss in (3.0, float("nan"), 1e-400, 2**60):
    print("loss", loss)
    run.log({"loss": loss, "reward": 1})
import json
print(json.dumps(run.id))
`)
    const run = await get(`/v1/runs/${id}`)
    expect(run).toMatchObject({
      status: 'succeeded',
      display_name: 'first try',
      attempt: 1,
      recipe: { template: 'two lines', hyperparams: { lr: 0.5, steps: 3, run_name: 'first try' } },
      progress: { iteration: 3, total_iterations: 3 },
    })
    expect((await metricsOf(id)).map(({ line }) => JSON.stringify(line))).toEqual([
      '{"step":0,"loss":3.0,"reward":1}',
      '{"step":1,"loss":null,"reward":1}',
      '{"step":2,"loss":0.0,"reward":1}',
      '{"step":3,"loss":1152921504606846976,"reward":1}',
    ])
    expect(await logOf(id)).toContain('loss 3.0\nloss nan\n')
    const config = await get(`/v1/runs/${id}/config`)
    expect(config.keys.map(({ path, value }: Json) => [path, value])).toContainEqual(['lr', '0.5'])
  })

  it('reads back what was logged: lines exactly, series, last values and files', async () => {
    const read = await answer(`
import hub, json
from decimal import Decimal
from pathlib import Path
run = hub.init("read back", config={"lr": 0.5, "steps": 2**60 + 1}, tags=["back"], capture_output=False)
lines = [{"loss": 0.1 * n, "big": 2**60 + n, "whole": 2.0, "text": "é"} for n in range(700)]
for line in lines:
    run.log(line)
Path("model.pt").write_bytes(b"weights")
run.checkpoint("model.pt", 700)
assert run.finish()
api = hub.Api()
(found,) = api.runs(tag=["back"], template="read back")
assert found.config == {"lr": 0.5, "steps": 2**60 + 1}, found.config
rows = list(found.scan_history())
assert rows == [{"step": n, **line} for n, line in enumerate(lines)]
assert [type(value) for value in rows[1].values()] == [int, float, int, float, str]
assert found.history(["loss"], samples=None) == [{"step": n, "loss": line["loss"]} for n, line in enumerate(lines)]
assert found.history(["loss"], samples=5000) == found.history(["loss"], samples=None)
thin = found.history(samples=20)
assert thin[0]["loss"] == 0 and thin[-1]["loss"] == 0.1 * 699 and len(thin) < 100
assert found.summary["loss"] == 0.1 * 699 and found.aggregates["loss"]["count"] == 700
path = found.file("checkpoints/step_700/model.pt").download("copy")
assert path.read_bytes() == b"weights"
print(json.dumps([file["path"] for file in found.files()]))
`)
    expect(read).toEqual(['checkpoints/step_700/model.pt'])
  })

  it('publishes files and checkpoints to a private model repo of the run', async () => {
    const id = await answer(`
import hub, json, os
run = hub.init("artifacts", interval_s=0.1)
os.makedirs("out/policy", exist_ok=True)
open("out/policy/weights.bin", "wb").write(b"w" * 1000)
open("out/manifest.json", "w").write("{}")
run.checkpoint("out", 20)
open("out/policy/weights.bin", "wb").write(b"x" * 10)
run.log_file("out/manifest.json", "notes/manifest.json")
assert run.finish()
print(json.dumps(run.id))
`)
    const { output_model_repo: repo } = await get(`/v1/runs/${id}`)
    expect((await get(`/v1/repos/${repo.full_name}`)).visibility).toBe('private')
    const { items } = await get(`/v1/repos/${repo.full_name}/tree`)
    expect(items.map(({ path, size }: Json) => [path, size])).toEqual([
      ['checkpoints/step_20/manifest.json', 2],
      ['checkpoints/step_20/policy/weights.bin', 1000],
      ['notes/manifest.json', 2],
    ])
    const checkpoints = await get(`/v1/runs/${id}/checkpoints`)
    expect(checkpoints.items.map(({ step }: Json) => step)).toEqual([20])
  })

  it('keeps media of a run at their steps, and finds artifacts again by version and alias', async () => {
    const [first, second] = await answer(
      `
import hub.wandb as wandb, json, pathlib
def log(run, text, alias):
    artifact = wandb.Artifact("grasps", type="dataset", metadata={"n": 2**60})
    with artifact.new_file("data/one.txt", "w") as file:
        file.write(text)
    run.log_artifact(artifact, aliases=[alias])
run = wandb.init(project="walk", name="media", id="w1")
run.log({"eval": {"view": [wandb.Image([[0, 255]], caption="one"), wandb.Image([[1, 2]])]}}, step=3)
run.log({"h": wandb.Histogram([1, 2, 2], num_bins=2), "t": wandb.Table(columns=["n"], data=[[2**60]])}, step=4)
log(run, "1", "first"); log(run, "2", "best")
pathlib.Path("note.txt").write_text("note")
run.save("note.txt", policy="now")
run.tags = ["late"]
one = run._place.id
run.finish()
run = wandb.init(id="w1", resume="must")
for name in ("grasps:first", "grasps:v1", "grasps:latest", "grasps"):
    artifact = run.use_artifact(name)
    pathlib.Path(artifact.download("copy-" + name.replace(":", "-")), "data/one.txt").read_text()
assert artifact.metadata == {"n": 2**60}, artifact.metadata
two = run._place.id
run.finish()
print(json.dumps([one, two]))
`,
      { WANDB_SILENT: 'true' },
    )
    const read = (name: string) => readFile(join(base, name, 'data/one.txt'), 'utf8')
    expect(await Promise.all(['copy-grasps-first', 'copy-grasps-v1', 'copy-grasps-latest'].map(read))).toEqual([
      '1',
      '2',
      '2',
    ])
    const { items } = await get(`/v1/runs/${first}/media`)
    expect(
      items.map(({ key, step, index, kind, caption, width }: Json) => [key, step, index, kind, caption, width]),
    ).toEqual([
      ['eval/view', 3, 0, 'image', 'one', 2],
      ['eval/view', 3, 1, 'image', null, 2],
      ['files', 4, 0, 'file', 'note.txt', null],
      ['h', 4, 0, 'histogram', null, null],
      ['t', 4, 0, 'table', null, null],
    ])
    expect(items[0].path).toMatch(new RegExp(`^runs/${first}/media/eval_view_3_0_[0-9a-f]{12}\\.png$`))
    expect(
      Buffer.from(await (await fetch(items[0].url)).arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    expect(items[3].value).toEqual({ edges: [1, 1.5, 2], counts: [1, 2] })
    expect((await hub.send(ada, 'GET', `/v1/runs/${first}/media?key=t`)).text).toContain(`[[${2n ** 60n}]]`)
    const run = await get(`/v1/runs/${first}`)
    expect(run).toMatchObject({ status: 'succeeded', name: 'media', tags: ['late'] })
    expect((await get(`/v1/runs/${second}`)).parent_run_id).toBe(first)
  })

  it('uploads a folder, skips what the repo has, and downloads it verified', async () => {
    const repo = `${ada.handle}/${newName()}`
    const [from, to] = [join(base, 'from'), join(base, 'to')]
    await mkdir(join(from, 'sub'), { recursive: true })
    const big = Buffer.alloc(300_000, 'hub')
    await writeFile(join(from, 'sub/big.bin'), big)
    await writeFile(join(from, 'empty'), '')
    await writeFile(join(from, 'note.txt'), 'hello')
    const found = await answer(`
import hub, json
def sent(**more):
    report = hub.upload_folder("${repo}", "${from}", ignore_patterns="*.tmp", **more)
    return [sorted(report.sent), sorted(report.skipped), report.sent_bytes]
first = sent(kind="dataset")
again = sent()
import time
for _ in range(100):
    files = hub.snapshot_download("${repo}", "${to}", allow_patterns=["sub/", "empty"])
    if all(file.sha256 for file in files): break
    time.sleep(0.1)
one = hub.download("${repo}", "note.txt", "${to}")
current = hub.snapshot_download("${repo}", "${to}")
try:
    hub.download("${repo}", "note", "${to}")
except hub.HubError as error:
    missing = [error.type, error.status, str(error)]
try:
    hub.upload_folder("${ada.handle}/no-such-repo", "${from}")
except hub.HubError as error:
    no_repo = [error.type, error.status, error.request_id is not None]
print(json.dumps([first, again, sorted(file.path for file in files), one.read_text(), [file.was_current for file in current], missing, no_repo]))
`)
    const all = ['empty', 'note.txt', 'sub/big.bin']
    expect(found).toEqual([
      [all, [], 300_005],
      [[], all, 0],
      ['empty', 'sub/big.bin'],
      'hello',
      [true, true, true],
      ['not_found', 404, `${repo} has no file note.`],
      ['not_found', 404, true],
    ])
    expect(sha256(await readFile(join(to, 'sub/big.bin')))).toBe(sha256(big))
  })

  it('sends nothing if the repo has a file where the folder has a folder, or the reverse', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { 'in/x': 'x', 'in/y/1': '1' })
    const folder = join(base, newName())
    await mkdir(join(folder, 'x'), { recursive: true })
    for (const path of ['x/a', 'y', 'fine']) await writeFile(join(folder, path), path)
    const found = await answer(`
import hub, json
try:
    hub.upload_folder("${repo}", "${folder}", path_in_repo="in")
except hub.HubError as error:
    refused = [error.type, error.status, str(error)]
other = hub.upload_folder("${repo}", "${folder}", path_in_repo="in", ignore_patterns=["x/", "y"])
print(json.dumps([refused, other.sent]))
`)
    const why =
      '"in/x" is a file in the repo, and a folder here, with "in/x/a"; "in/y" is a file here, and a folder in the repo, with "in/y/1"'
    const detail = `${repo} has files in the way of what would be sent; nothing was sent: ${why}. Delete them in the repo first, or exclude what is here.`
    expect(found).toEqual([['conflict.path', 409, detail], ['in/fine']])
  })

  it('downloads a file as a version of the repo has it, and reads lists', async () => {
    const repo = `${ada.handle}/${newName()}`
    const found = await answer(`
import hub, json, os
os.makedirs("${repo}")
def put(text):
    with open("${repo}/note.txt", "w") as file: file.write(text)
    hub.upload_folder("${repo}", "${repo}", kind="dataset")
put("first")
hub.connect().call("POST", "/v1/repos/${repo}/snapshots", {"name": "v1"})
put("second, and longer")
read = lambda **more: hub.download("${repo}", "note.txt", "${repo}-copy", **more).read_text()
whole = hub.snapshot_download("${repo}", "${repo}-whole", revision="v1")
api = hub.Api()
listed = [each["slug"] for each in api.repos(owner="${ada.handle}")]
seen = [run["id"] for run in api.runs(limit=1)]
print(json.dumps([read(revision="v1"), read(), [file.local_path.read_text() for file in whole],
    api.repo("${repo}")["slug"] in listed, all(api.run(id)["id"] == id for id in seen)]))
`)
    expect(found).toEqual(['first', 'second, and longer', ['first'], true, true])
  })

  it('leaves out what hub push leaves out: credentials, what ignore files name, and build folders', async () => {
    const folder = join(base, newName())
    const paths = [
      '.env',
      '.env.example',
      'a/id_rsa',
      'a/id_rsa.pub',
      '.ssh/deploy',
      '.ssh/config',
      'KEY.PEM',
      'credentials.json',
      'pem.txt',
    ]
    const texts = {
      '.npmrc': '_authToken=x',
      'b/.npmrc': 'registry=y',
      'x.key': '-----BEGIN PRIVATE KEY-----',
      'c/client.json': '{"token": "hub_key_x"}',
    }
    const ignored = [
      '.hubignore',
      'a/raw.bin',
      'a/keep.bin',
      'wandb/run',
      '.hub/data',
      'b/client_secret_1.json',
      '.aws/credentials',
    ]
    for (const path of [...paths, ...ignored, ...Object.keys(texts)]) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), texts[path as keyof typeof texts] ?? path)
    }
    await writeFile(join(folder, '.hubignore'), '*.bin\n!keep.bin\n')
    const pushed = await walkToPush(folder, { filter: everything, ignore: true, includeSecrets: false })
    const repo = `${ada.handle}/${newName()}`
    const found = await answer(`
import hub, json
report = hub.upload_folder("${repo}", "${folder}", path_in_repo="in", kind="dataset")
every = hub.upload_folder("${repo}", "${folder}", allow_patterns=[".env"], ignore_files=False, include_secrets=True)
print(json.dumps([sorted(report.sent), sorted([left.path, left.reason, left.rule] for left in report.left_out), every.sent + every.linked]))
`)
    const left = pushed.leftOut.map(({ path, reason, rule }) => [path, reason, rule])
    expect(found).toEqual([pushed.files.map(({ path }) => `in/${path}`), left, ['.env']])
    expect(left).toHaveLength(12)
  })

  it('refuses a folder with a secret in a text, where hub push does, before a repo is made', async () => {
    const folder = join(base, newName())
    const { privateKey } = generateKeyPairSync('ed25519')
    const letters = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnop'
    const header = Buffer.from('{"alg":"EdDSA","typ":"svc-approval+jwt"}').toString('base64url')
    const texts = {
      'a/key.py': `import os\nkey = "${newKeyToken()}"\n`,
      'a/token.txt': `${header}.${'a'.repeat(40)}.${'b'.repeat(86)}`,
      'pem.json': JSON.stringify({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }) }),
      'tokens.md': `\nghp_${letters.slice(0, 36)}\nhf_${letters.slice(0, 34)}\naws_secret_access_key = ${letters.slice(0, 40)}\n`,
      'fine.md': `hub_key_${'x'.repeat(36)}\n${newKeyToken()} # secretlint-disable-line\n# secretlint-disable-next-line\n${newKeyToken()}\n`,
      'weights.txt': `\0${newKeyToken()}`,
    }
    for (const [path, text] of Object.entries(texts)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    const ofPush = []
    for (const [path, text] of Object.entries(texts))
      if (path !== 'weights.txt')
        for (const { line, kind } of await secretsIn(text, join(folder, path))) ofPush.push([path, line, kind])
    const repo = `${ada.handle}/${newName()}`
    const found = await answer(`
import hub, json
try:
    hub.upload_folder("${repo}", "${folder}", path_in_repo="in", kind="dataset")
except hub.SecretsFound as error:
    found = [[one.path, one.line, one.kind] for one in error.secrets]
    text = str(error)
try:
    hub.upload_folder("${repo}", "${folder}")
except hub.HubError as error:
    missing = error.status
report = hub.upload_folder("${repo}", "${folder}", path_in_repo="in", kind="dataset", allow_secrets=["a/", "pem.json", "tokens.md"])
print(json.dumps([found, text, missing, len(report.sent)]))
`)
    expect(found).toEqual([ofPush, expect.stringContaining('a/key.py:2: API key of a hub'), 404, 6])
    expect(ofPush.map(([path]) => path)).toEqual([
      'a/key.py',
      'a/token.txt',
      'pem.json',
      'tokens.md',
      'tokens.md',
      'tokens.md',
    ])
    expect(found[1]).not.toMatch(/hub_key_|ghp_|BEGIN/)
  })

  it('asks for parts of 8 MiB, sends only those that an interruption left, and links bytes that the hub has elsewhere', async () => {
    const [first, second] = [await hub.repo(ada), await hub.repo(ada)]
    const folder = join(base, newName())
    await mkdir(folder)
    const big = Buffer.alloc(17 * 1024 ** 2, newName())
    await writeFile(join(folder, 'big.bin'), big)
    await writeFile(join(folder, 'small.txt'), newName())
    const found = await answer(`
import hub, json
from hub import _uploads
real, sizes = _uploads.put_bytes, []
def cut(url, data, size):
    # The second part of an upload with one job is where the connection ends.
    if len(sizes) == 1: raise KeyboardInterrupt()
    sizes.append(size)
    return real(url, data, size)
_uploads.put_bytes = cut
try:
    hub.upload_folder("${first}", "${folder}", jobs=1, allow_patterns="big.bin")
except KeyboardInterrupt:
    pass
sizes_before = list(sizes)
def counted(url, data, size):
    sizes.append(size)
    return real(url, data, size)
sizes.clear()
_uploads.put_bytes = counted
report = hub.upload_folder("${first}", "${folder}", jobs=1)
resumed = sorted(sizes)
sizes.clear()
other = hub.upload_folder("${second}", "${folder}")
print(json.dumps([sizes_before, resumed, report.sent, report.linked, sizes, other.sent, sorted(other.linked), other.sent_bytes]))
`)
    const [part, rest] = [8 * 1024 ** 2, 1024 ** 2]
    const small = (await readFile(join(folder, 'small.txt'))).length
    const both = ['big.bin', 'small.txt']
    expect(found).toEqual([[part], [small, rest, part], both, [], [], [], both, 0])
    expect(
      await hub.sql('select path from files where repo_id = (select id from repos where slug = $1) order by path', [
        second.split('/')[1],
      ]),
    ).toEqual(both.map((path) => ({ path })))
  })

  it('goes on with a download that was cut, and keeps nothing of other bytes', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { 'a.bin': Buffer.alloc(5000, 'a') })
    const found = await answer(`
import hashlib, hub, json, pathlib, os
entry = None
while not entry or not entry["sha256"]:
    entry = hub.connect().call("GET", "/v1/repos/${repo}/tree")["items"][0]
version = hashlib.sha256(f"a.bin\\n{entry['sha256']}\\n5000".encode()).hexdigest()[:24]
out = pathlib.Path("cut"); out.mkdir()
partial = out / f".hub-part-{version}"
partial.write_bytes(b"a" * 2000)
good = hub.download("${repo}", "a.bin", out).read_bytes() == b"a" * 5000
os.remove(out / "a.bin")
partial.write_bytes(b"b" * 2000)
try:
    hub.download("${repo}", "a.bin", out)
except hub.HubError as error:
    refused = str(error)
print(json.dumps([good, refused, sorted(os.listdir(out))]))
`)
    expect(found).toEqual([true, expect.stringContaining('other bytes'), []])
  })

  it('works off queued runs with a function: success, failure and cancel', async () => {
    const submit = async (kind: string) => {
      const body = { recipe: { template: 'act', hyperparams: { kind } } }
      return (await hub.call(ada, 'POST', '/v1/runs', body)).json.id as string
    }
    const ids = [await submit('good'), await submit('bad'), await submit('canceled')]
    const done = await answer(
      `
import hub, json, time
seen = []
client = hub.connect()
def handle(run):
    kind = run.recipe["hyperparams"]["kind"]
    seen.append(kind)
    run.log(loss=1)
    if kind == "bad":
        raise ValueError("no good")
    if kind == "canceled":
        client.call("POST", f"/v1/runs/{run.id}/cancel")
        while True:
            run.log(loss=2)
            time.sleep(0.02)
for _ in range(3):
    hub.work(handle, owner="${ada.handle}", once=True, interval_s=0.1)
print(json.dumps(seen))
`,
    )
    expect(done).toEqual(['good', 'bad', 'canceled'])
    const runs = await Promise.all(ids.map((id) => get(`/v1/runs/${id}`)))
    expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'canceled'])
    expect(runs[1]?.error).toContain('ValueError: no good')
  })

  it('says what is wrong without its token', async () => {
    const { code, err } = await program('import hub\nhub.init("x", owner="nobody-here")')
    expect([code, err]).toEqual([1, expect.stringContaining('You are neither nobody-here nor one of its members.')])
    expect(err).not.toContain(env.HUB_TOKEN)
    const bad = await program('import hub\nhub.init("x")', { HUB_TOKEN: 'hub_key_nonsense' })
    expect([bad.code, bad.err]).toEqual([1, expect.stringContaining('hub._errors.HubError')])
    expect(bad.err).not.toContain('nonsense')
  })
})

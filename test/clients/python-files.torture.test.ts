// @module-tag long
/** Files of the Python client: programs of its users against a complete hub. */
import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { walkToPush } from '@hub/client/walk'
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { everything } from '../../packages/client/src/globs.ts'
import { secretsIn } from '../../packages/client/src/secrets/secret-rules.ts'
import { newKeyToken } from '../../src/auth/api-key.ts'
import { newName } from '../support/hub.ts'
import { noPython } from '../support/python.ts'
import { pythonPrograms } from '../support/python-programs.ts'

const { hub, made, answer } = pythonPrograms()
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('files of the Python client', needs(noPython), () => {
  it('uploads a folder, skips what the repo has, and downloads it verified', async () => {
    const repo = `${made.ada.handle}/${newName()}`
    const [from, to] = [join(made.base, 'from'), join(made.base, 'to')]
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
    hub.upload_folder("${made.ada.handle}/no-such-repo", "${from}")
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
    const repo = await hub.repo(made.ada)
    await hub.upload(made.ada, repo, { 'in/x': 'x', 'in/y/1': '1' })
    const folder = join(made.base, newName())
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
    const repo = `${made.ada.handle}/${newName()}`
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
listed = [each["slug"] for each in api.repos(owner="${made.ada.handle}")]
seen = [run["id"] for run in api.runs(limit=1)]
print(json.dumps([read(revision="v1"), read(), [file.local_path.read_text() for file in whole],
    api.repo("${repo}")["slug"] in listed, all(api.run(id)["id"] == id for id in seen)]))
`)
    expect(found).toEqual(['first', 'second, and longer', ['first'], true, true])
  })

  it('leaves out what hub push leaves out: credentials, what ignore files name, and build folders', async () => {
    const folder = join(made.base, newName())
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
    const repo = `${made.ada.handle}/${newName()}`
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
    const folder = join(made.base, newName())
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
    const repo = `${made.ada.handle}/${newName()}`
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
    const [first, second] = [await hub.repo(made.ada), await hub.repo(made.ada)]
    const folder = join(made.base, newName())
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
    const repo = await hub.repo(made.ada)
    await hub.upload(made.ada, repo, { 'a.bin': Buffer.alloc(5000, 'a') })
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
})

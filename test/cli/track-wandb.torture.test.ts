// @module-tag processes
/**
 * A script that imports wandb, LeRobot's own logger, and what TensorBoard's writers wrote, unchanged under `hub track`:
 * each value is on the hub.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHubClient, type HubClient } from '@hub/client/internal'
import { needs } from '@hub/testing/needs'
import { beforeEach, describe, expect, it } from 'vitest'
import { killableHub } from '../support/killable-hub.ts'
import { noPython } from '../support/python.ts'

const program = fileURLToPath(new URL('../../src/operator/hub.ts', import.meta.url))
const sources = process.env.HUB_HF_SOURCES
const logger = join(sources ?? '', 'lerobot/src/lerobot/common/wandb_utils.py')
const noLeRobot =
  noPython ?? (sources && existsSync(logger) ? null : 'there are no sources of LeRobot (lerobot/ in HUB_HF_SOURCES)')
const hub = killableHub()
const { made } = hub
let isStarted = false
let client: HubClient

beforeEach(async () => {
  client = createHubClient({ url: made.url, token: made.token })
  if (!isStarted) await hub.start()
  isStarted = true
})

async function read<T>(path: string): Promise<T> {
  const answer = await fetch(`${made.url}${path}`, { headers: { authorization: `Bearer ${made.token}` } })
  expect(answer.status).toBe(200)
  return (await answer.json()) as T
}

interface RunRead {
  readonly project: string | null
  readonly name: string | null
  readonly tags: readonly string[]
  readonly output_model_repo: { readonly full_name: string } | null
}

interface MediaRead {
  readonly key: string
  readonly step: number
  readonly kind: string
  readonly caption: string | null
  readonly path: string | null
  readonly value: unknown
  readonly url: string | null
}

const bytesOf = async (media: MediaRead | undefined) => Buffer.from(await (await fetch(media?.url ?? '')).arrayBuffer())

/** Tracks a Python script, and gives what it printed and what the hub has of it. */
async function trackPython(script: string, ...options: string[]) {
  await writeFile(join(made.base, 'train.py'), script)
  const child = hub.attend(
    spawn(process.execPath, [program, 'track', '--system-every', '0', ...options, '--', 'python3', 'train.py'], {
      cwd: made.base,
      env: { PATH: process.env.PATH ?? '', HOME: made.base, HUB_URL: made.url, HUB_TOKEN: made.token },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let [out, err] = ['', '']
  child.stdout?.on('data', (text) => {
    out += text
  })
  child.stderr?.on('data', (text) => {
    err += text
  })
  const [code] = await once(child, 'close')
  const run = /run_[0-9a-z]{26}/.exec(err)?.[0] ?? ''
  const metrics: string[] = []
  for await (const event of client.runs.follow(run, { follow: false }))
    if (event.kind === 'metric') metrics.push(JSON.stringify(event.line))
  return { code, out, err, run, metrics }
}

describe('wandb under hub track', needs(noPython), () => {
  it('reports each value that an unchanged script logs', async () => {
    const { code, out, err, run, metrics } = await trackPython(`
import wandb
run = wandb.init(project="walk", config={"lr": 1e-3})
for step in range(3):
    wandb.log({"loss": 1 / (step + 1), "eval": {"reward": 2**60 + step}}, step=step * 10)
wandb.log({"a": 1}, commit=False)
wandb.log({"b": float("nan")})
wandb.summary["best"] = 0.1
wandb.log({"eval": {"view": wandb.Image([[0, 255]], caption="front")}, "h": wandb.Histogram([1, 2, 2], num_bins=2)}, step=30)
wandb.log({"t": wandb.Table(columns=["n"], data=[[2**60]])}, step=30)
artifact = wandb.Artifact("grasps", type="dataset", metadata={"n": 2**60})
with artifact.new_file("data/one.txt", "w") as file:
    file.write("1")
wandb.log_artifact(artifact, aliases=["best"])
wandb.config.update({"late": 1})
wandb.run.tags = ["one"]
print(wandb.run.get_url())
`)
    expect([code, out]).toEqual([0, `${made.url}/runs/${run}\n`])
    expect(err).toContain(`hub: wandb goes to the hub: ${made.url}/runs/${run}\n`)
    expect(metrics).toEqual([
      '{"step":0,"loss":1.0,"eval/reward":1152921504606846976}',
      '{"step":10,"loss":0.5,"eval/reward":1152921504606846977}',
      '{"step":20,"loss":0.3333333333333333,"eval/reward":1152921504606846978}',
      '{"step":20,"a":1,"b":null}',
      '{"summary/best":0.1}',
    ])
    const config = await read<{ keys: { path: string; value: string }[] }>(`/v1/runs/${run}/config`)
    expect(config.keys).toMatchObject([
      { path: 'lr', value: '0.001' },
      { path: 'late', value: '1' },
    ])
    const { project, tags, output_model_repo: repo } = await read<RunRead>(`/v1/runs/${run}`)
    expect([project, tags]).toEqual(['walk', ['one']])
    const { items: media } = await read<{ items: MediaRead[] }>(`/v1/runs/${run}/media`)
    expect(media.map(({ key, step, kind, caption }) => [key, step, kind, caption])).toEqual([
      ['eval/view', 30, 'image', 'front'],
      ['h', 30, 'histogram', null],
      ['t', 30, 'table', null],
    ])
    expect((await bytesOf(media[0])).subarray(1, 4).toString()).toBe('PNG')
    expect(media[1]?.value).toEqual({ edges: [1, 1.5, 2], counts: [1, 2] })
    const { items: files } = await read<{ items: { path: string }[] }>(`/v1/repos/${repo?.full_name}/tree`)
    expect(files.map(({ path }) => path)).toEqual([
      'artifacts/grasps/v0.json',
      'artifacts/grasps/v0/data/one.txt',
      media[0]?.path,
    ])
  })

  it('is left as it is with --no-wandb', async () => {
    await mkdir(join(made.base, 'wandb'), { recursive: true })
    await writeFile(join(made.base, 'wandb/__init__.py'), 'real = True\n')
    const { out } = await trackPython('import sys, wandb; print(wandb.real)', '--no-wandb')
    await rm(join(made.base, 'wandb'), { recursive: true })
    expect(out).toBe('True\n')
  })
})

describe("LeRobot's logger under hub track", needs(noLeRobot), () => {
  it('logs each value, its checkpoint, and finds the id to resume by', async () => {
    const { code, err, metrics, run } = await trackPython(`
import importlib.util, pathlib, sys, types
def stub(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)
stub("huggingface_hub"); stub("huggingface_hub.constants", SAFETENSORS_SINGLE_FILE="model.safetensors")
stub("termcolor", colored=lambda text, *_, **__: text)
stub("lerobot"); stub("lerobot.configs"); stub("lerobot.configs.train", TrainPipelineConfig=object)
stub("lerobot.utils"); stub("lerobot.utils.constants", PRETRAINED_MODEL_DIR="pretrained_model")
text = pathlib.Path(${JSON.stringify(logger)}).read_text()
# Python 3.9 has no unions of types in annotations and isinstance.
text = "from __future__ import annotations\\n" + text.replace("int | float | str", "int, float, str")
module = types.ModuleType("wandb_utils")
exec(compile(text, "wandb_utils.py", "exec"), vars(module))
N = types.SimpleNamespace
out = pathlib.Path("out"); out.mkdir()
def config(resume):
    return N(wandb=N(run_id=None, project="lerobot", entity=None, notes=None, add_tags=True, mode="online", disable_artifact=False),
        output_dir=out, job_name="act", env=N(type="aloha", fps=30), is_reward_model_training=False, policy=N(type="act"), seed=1,
        dataset=N(repo_id="ada/grasps"), resume=resume, to_dict=lambda: {"seed": 1, "policy": {"type": "act"}})
log = module.WandBLogger(config(False))
for step in (200, 400):
    log.log_dict({"loss": 1 / step, "lr": 1e-5, "list": [1]}, step)
log.log_dict({"pc_success": 50.0}, 400, mode="eval")
(out / "video.mp4").write_bytes(b"video")
log.log_video(str(out / "video.mp4"), 400, mode="eval")
log.log_dict({"episodes": 3, "Interaction step": 7}, mode="train", custom_step_key="Interaction step")
model = out / "checkpoints/000400/pretrained_model"; model.mkdir(parents=True)
(model / "model.safetensors").write_bytes(b"weights")
log.log_policy(model.parent)
first = log.cfg.run_id
import wandb; wandb.finish()
again = module.WandBLogger(config(True))
assert again.cfg.run_id == first, (again.cfg.run_id, first)
again.log_dict({"loss": 0.5}, 600)
`)
    expect([code, err]).toEqual([0, expect.stringContaining('hub: tracked as')])
    expect(metrics).toEqual([
      '{"step":200,"train/loss":0.005,"train/lr":1e-05}',
      '{"step":400,"train/loss":0.0025,"train/lr":1e-05}',
      '{"step":400,"eval/pc_success":50.0}',
      '{"step":400,"train/episodes":3,"train/Interaction step":7}',
      '{"step":600,"train/loss":0.5}',
    ])
    const { items } = await read<{ items: { step: number }[] }>(`/v1/runs/${run}/checkpoints`)
    expect(items.map(({ step }) => step)).toEqual([400])
    const { items: media } = await read<{ items: MediaRead[] }>(`/v1/runs/${run}/media`)
    expect(media.map(({ key, step, kind }) => [key, step, kind])).toEqual([['eval/video', 400, 'video']])
    expect((await bytesOf(media[0])).toString()).toBe('video')
    const { project, name, tags, output_model_repo: repo } = await read<RunRead>(`/v1/runs/${run}`)
    const words = ['policy:act', 'seed:1', 'dataset:ada/grasps', 'env:aloha']
    expect([project, name, tags]).toEqual(['lerobot', 'act', words])
    const { items: files } = await read<{ items: { path: string }[] }>(`/v1/repos/${repo?.full_name}/tree`)
    const model = `artifacts/${words.join('-').replaceAll(/[:/]/g, '_')}-000400`
    expect(files.map(({ path }) => path)).toEqual([
      `${model}/v0.json`,
      `${model}/v0/model.safetensors`,
      'checkpoints/step_400/model.safetensors',
      media[0]?.path,
    ])
    const { keys } = await read<{ keys: { path: string; value: string }[] }>(`/v1/runs/${run}/config`)
    expect(keys.map(({ path, value }) => [path, value])).toEqual([
      ['seed', '1'],
      ['policy.type', 'act'],
    ])
  })
})

/** What TensorBoard's own reader finds in the files of its writer and of tensorboardX. */
const eventFiles = fileURLToPath(new URL('../../packages/tensorboard/test/events-of-trainers.json', import.meta.url))
interface Event {
  readonly step: number
  readonly tag: string
  readonly plugin: string
  readonly shape: readonly number[]
  readonly values: readonly (number | string)[]
}
interface Medium {
  readonly key: string
  readonly step: number
  readonly index: number
  readonly kind: string
  readonly value: unknown
  readonly url: string | null
}

const base64 = (value: unknown) => Buffer.from(String(value), 'base64')

/** Key, step, kind and content of each medium of an event: of a picture or sound its bytes in Base64. */
function mediaOf(prefix: string, { step, tag, plugin, shape, values }: Event): unknown[] {
  const key = `${prefix}${tag}`
  if (plugin === 'images') return values.slice(2).map((bytes, index) => [key, step, index, 'image', bytes])
  if (plugin === 'audio') return values.map((bytes, index) => [key, step, index, 'audio', bytes])
  const texts = values.map((text) => base64(text).toString())
  if (plugin === 'text' && shape.length === 2)
    return [[key, step, 0, 'table', { columns: ['1', '2'], rows: [texts.slice(0, 2), texts.slice(2)] }]]
  if (plugin === 'text') return texts.map((text, index) => [key, step, index, 'text', text])
  if (plugin !== 'histograms' || values.length === 0) return []
  const column = (place: number) => values.filter((_, at) => at % 3 === place).map(Number)
  const edges = [Number(values[0]), ...column(1)].map(Math.fround)
  return [[key, step, 0, 'histogram', { edges, counts: column(2) }]]
}

async function contentOf({ kind, value, url }: Medium): Promise<unknown> {
  if (url !== null) return Buffer.from(await (await fetch(url)).arrayBuffer()).toString('base64')
  if (kind !== 'histogram') return value
  const { edges, counts } = value as { edges: number[]; counts: number[] }
  return { edges: edges.map(Math.fround), counts }
}

describe('TensorBoard under hub track', needs(noPython), () => {
  it('has each value that its writers wrote into folders that nobody named, as TensorBoard reads them', async () => {
    const { err, run, metrics } = await trackPython(`
import base64, json, os, time
begun = time.time()
for one in json.load(open(${JSON.stringify(eventFiles)})):
    folder = os.path.join("logs", one["run"])
    os.makedirs(folder, exist_ok=True)
    data = base64.b64decode(one["bytes"])
    for at in range(0, len(data), 700):
        with open(os.path.join(folder, "events.out.tfevents.%d.elsewhere" % begun), "ab") as file:
            file.write(data[at:at + 700])
`)
    expect(err).toContain(`hub: reading TensorBoard's files in ${join(made.base, 'logs/tb')}\n`)
    const written = JSON.parse(await readFile(eventFiles, 'utf8')) as readonly { run: string; events: Event[] }[]
    const events = written.flatMap(({ run: folder, events: found }) =>
      found.map((event) => [folder === 'tb' ? '' : `${folder}/`, event] as const),
    )
    const logged = events.flatMap(([prefix, { plugin, step, tag, values }]) =>
      plugin === 'scalars' ? [[`${prefix}${tag}`, step, Math.fround(Number(values[0]))]] : [],
    )
    const kept = metrics.flatMap((line) => {
      const { step, ...values } = JSON.parse(line) as Record<string, number>
      return Object.entries(values).map(([key, value]) => [key, step, Math.fround(value)])
    })
    expect(kept.sort()).toEqual(logged.sort())
    const { items } = await read<{ items: Medium[] }>(`/v1/runs/${run}/media?limit=100`)
    const media = await Promise.all(
      items.map(async (one) => [one.key, one.step, one.index, one.kind, await contentOf(one)]),
    )
    expect(media.sort()).toEqual(events.flatMap(([prefix, event]) => mediaOf(prefix, event)).sort())
    const { keys } = await read<{ keys: { path: string; value: string }[] }>(`/v1/runs/${run}/config`)
    const settings = Object.fromEntries(keys.map(({ path, value }) => [path, value]))
    // Of both sessions, the later with the last word.
    expect(settings).toEqual({
      ...{ lr: '0.001', units: '64', optimizer: 'sgd', nesterov: 'false' },
      ...{ steps: '100', amp: 'true', name: 'wide' },
    })
  })

  it('is left alone with --no-tensorboard', async () => {
    const { err, metrics } = await trackPython(
      'import shutil, time; shutil.copytree("logs", "again")',
      '--no-tensorboard',
    )
    expect(err).not.toContain('TensorBoard')
    expect(metrics).toEqual([])
  })
})

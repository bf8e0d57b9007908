// @module-tag processes
/** A script that imports wandb, and LeRobot's own logger, unchanged under `hub track`: each value is on the hub. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
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
print(wandb.run.get_url())
`)
    expect([code, out]).toEqual([0, `${made.url}/runs/${run}\n`])
    expect(err).toContain(`hub: wandb goes to the hub: ${made.url}/runs/${run}\n`)
    expect(metrics).toEqual([
      '{"step":0,"loss":1.0,"eval/reward":1152921504606846976}',
      '{"step":10,"loss":0.5,"eval/reward":1152921504606846977}',
      '{"step":20,"loss":0.3333333333333333,"eval/reward":1152921504606846978}',
      '{"step":20,"a":1,"b":null}',
      '{"step":21,"summary/best":0.1}',
    ])
    const config = await read<{ keys: { path: string; value: string }[] }>(`/v1/runs/${run}/config`)
    expect(config.keys).toMatchObject([{ path: 'lr', value: '0.001' }])
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
  })
})

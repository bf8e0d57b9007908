// @module-tag long
/** Runs of the Python client: programs of its users against a complete hub. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import type { Json } from '../support/hub.ts'
import { noPython } from '../support/python.ts'
import { pythonPrograms } from '../support/python-programs.ts'

const { hub, made, program, answer, get } = pythonPrograms()
const metricsOf = (id: string) =>
  hub.sql<{ line: Json; step: number }>('select line, step from run_metrics where run_id = $1 order by seq', [id])
const logOf = async (id: string) => (await hub.send(made.ada, 'GET', `/v1/runs/${id}/logs/download`)).text

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
    const read = (name: string) => readFile(join(made.base, name, 'data/one.txt'), 'utf8')
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
    expect((await hub.send(made.ada, 'GET', `/v1/runs/${first}/media?key=t`)).text).toContain(`[[${2n ** 60n}]]`)
    const run = await get(`/v1/runs/${first}`)
    expect(run).toMatchObject({ status: 'succeeded', name: 'media', tags: ['late'] })
    expect((await get(`/v1/runs/${second}`)).parent_run_id).toBe(first)
  })

  it('works off queued runs with a function: success, failure and cancel', async () => {
    const submit = async (kind: string) => {
      const body = { recipe: { template: 'act', hyperparams: { kind } } }
      return (await hub.call(made.ada, 'POST', '/v1/runs', body)).json.id as string
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
    hub.work(handle, owner="${made.ada.handle}", once=True, interval_s=0.1)
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
    expect(err).not.toContain(made.token)
    const bad = await program('import hub\nhub.init("x")', { HUB_TOKEN: 'hub_key_nonsense' })
    expect([bad.code, bad.err]).toEqual([1, expect.stringContaining('hub._errors.HubError')])
    expect(bad.err).not.toContain('nonsense')
  })
})

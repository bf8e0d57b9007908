/** The process of rollouts: opens one robot and one policy, runs one seed after another, and answers each. */
import { readFileSync } from 'node:fs'
import { nodeRuntime } from '@hub/policy-server/model/node-runtime'
import { openOnnx } from '@hub/policy-server/model/onnx-session'
import { compileModel, putFile } from '@hub/robot-view/physics/compile'
import { openMujoco } from '@hub/robot-view/physics/mujoco'
import { readFacts } from '@hub/robot-view/physics/read-facts'
import { LoopLacks, openLoop, runToEnd } from '../loop/closed-loop.ts'
import type { FromRollout, RolloutJob, ToRollout } from './protocol.ts'

const say = (message: FromRollout) => void process.send?.(message)

type Opened = ReturnType<typeof loopOf>

let loop: Opened | null = null

process.once('disconnect', () => process.exit())
process.on('message', (message: ToRollout) => {
  hear(message).catch((error: unknown) => {
    const why = error instanceof LoopLacks ? error.lacks : [error instanceof Error ? error.message : String(error)]
    say({ kind: 'refused', why })
  })
})
say({ kind: 'ready' })

async function hear(message: ToRollout): Promise<void> {
  if (message.kind === 'open') {
    loop = loopOf(message.job, await robotOf(message.job), await policyOf(message.job))
    // What is not there is found before any rollout.
    const { joints, rateHz, notes, close } = loop(0)
    close()
    say({ kind: 'opened', joints, rateHz, notes, engine, runtime })
    return
  }
  if (!loop) throw new Error('Nothing is open.')
  const one = loop(message.seed)
  const outcome = await runToEnd(one)
  one.close()
  say({ kind: 'done', outcome, episode: message.record ? one.episode() : null })
}

let engine = ''
let runtime = ''

async function robotOf({ files, entry, entryText }: RolloutJob) {
  const loaded = await openMujoco(() => undefined)
  engine = loaded.mujoco.mj_versionString()
  for (const { path, file } of files) putFile(loaded.files, path, readFileSync(file))
  if (entryText !== null) putFile(loaded.files, entry, entryText)
  const compiled = compileModel(loaded, entry)
  if ('refused' in compiled) throw new Error(`MuJoCo does not compile ${entry}: ${compiled.refused}`)
  const { mujoco } = loaded
  const { model } = compiled
  return { mujoco, model, data: new mujoco.MjData(model), facts: readFacts(mujoco, loaded.files, model) }
}

async function policyOf({ policy }: RolloutJob) {
  const bytes = readFileSync(policy)
  const onnxRuntime = await nodeRuntime()
  runtime = onnxRuntime.env.versions.web ?? onnxRuntime.env.versions.common
  return openOnnx(onnxRuntime, bytes).catch((error: unknown) => {
    throw new Error(`The policy cannot be run: ${error instanceof Error ? error.message : error}`)
  })
}

function loopOf(
  { face, contract, map, task, disturbance }: RolloutJob,
  world: Awaited<ReturnType<typeof robotOf>>,
  policy: Awaited<ReturnType<typeof policyOf>>,
) {
  return (seed: number) => openLoop({ world, face, contract, map, policy, task, seed, disturbance })
}

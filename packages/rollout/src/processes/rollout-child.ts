/**
 * The process of rollouts: opens one robot and one policy, runs one seed after another, and answers each. It asks its
 * command for the pictures that the policy sees.
 */
import { readFileSync } from 'node:fs'
import { writeScene } from '@hub/check-worker/engine/scene-pipe'
import { nodeRuntime } from '@hub/policy-server/model/node-runtime'
import { openOnnx } from '@hub/policy-server/model/onnx-session'
import { compileModel, putFile } from '@hub/robot-view/physics/compile'
import { openMujoco } from '@hub/robot-view/physics/mujoco'
import { posesAt } from '@hub/robot-view/physics/poses-at'
import { readCameras } from '@hub/robot-view/physics/read-cameras'
import { readFacts } from '@hub/robot-view/physics/read-facts'
import { readLitScene } from '@hub/robot-view/physics/read-scene'
import { encodeScene } from '@hub/robot-view/scene/scene-bytes'
import { LoopLacks, openLoop, runToEnd } from '../loop/closed-loop.ts'
import type { ChosenCameras, PictureSource } from '../loop/eyes.ts'
import type { FromRollout, RolloutJob, SeenWorld, ToRollout } from './protocol.ts'

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
    const robot = await robotOf(message.job)
    loop = loopOf(message.job, robot, await policyOf(message.job))
    // What is not there is found before any rollout.
    const { joints, rateHz, notes, pictures, cameras, close } = loop(0)
    close()
    const seen = pictures > 0 ? sent(robot, message.sceneBytes) : null
    say({ kind: 'opened', joints, rateHz, notes, cameras, engine, runtime, seen })
    return
  }
  if (message.kind === 'seen') {
    shown?.resolve(message.pictures.map((text) => Buffer.from(text, 'base64')))
    shown = null
    return
  }
  if (!loop) throw new Error('Nothing is open.')
  const one = loop(message.seed)
  const outcome = await runToEnd(one)
  one.close()
  say({ kind: 'done', outcome, episode: message.record ? one.episode() : null })
}

let shown: PromiseWithResolvers<readonly Uint8Array[]> | null = null

/** The command draws what the cameras of the model see at this moment. */
const drawnFor = ({ model, data }: Robot, chosen: ChosenCameras): PictureSource => {
  const cameras = readCameras(model)
  return {
    cameras,
    chosen,
    choice: 'option',
    draw(asked) {
      shown = Promise.withResolvers<readonly Uint8Array[]>()
      const poses = posesAt(model, data, cameras.length)
      say({ kind: 'see', asked, bodies: [...poses.bodies], cameras: [...poses.cameras] })
      return shown.promise
    },
  }
}

function sent({ files, mujoco, model, data }: Robot, maxBytes: number): SeenWorld {
  const bytes = encodeScene(readLitScene({ mujoco, files }, model, data, maxBytes))
  writeScene(bytes)
  return { cameras: readCameras(model), bytes: bytes.length }
}

type Robot = Awaited<ReturnType<typeof robotOf>>

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
  const { files: store } = loaded
  return { files: store, mujoco, model, data: new mujoco.MjData(model), facts: readFacts(mujoco, store, model) }
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
  { face, contract, map, task, disturbance, cameras }: RolloutJob,
  world: Robot,
  policy: Awaited<ReturnType<typeof policyOf>>,
) {
  const drawn = drawnFor(world, cameras)
  return (seed: number) => openLoop({ world, face, contract, map, policy, task, seed, disturbance, drawn })
}

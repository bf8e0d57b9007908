/** The robot and the policy of examples/pendulum, and models written in a test, as the loop takes them. */
import { readFileSync } from 'node:fs'
import { nodeRuntime } from '@hub/policy-server/model/node-runtime'
import { openOnnx } from '@hub/policy-server/model/onnx-session'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import { compileModel, putFile } from '@hub/robot-view/physics/compile'
import { openMujoco } from '@hub/robot-view/physics/mujoco'
import { readFacts } from '@hub/robot-view/physics/read-facts'
import type { LoopPolicy } from '../../src/loop/closed-loop.ts'
import type { World } from '../../src/loop/world.ts'
import { readTask } from '../../src/task-schema.ts'

const example = (path: string) => new URL(`../../../../examples/pendulum/${path}`, import.meta.url)
const json = (path: string) => JSON.parse(readFileSync(example(path), 'utf8'))

const engine = await openMujoco(() => undefined)

/** A model of its text, with data of its own. */
export function worldOf(xml: string): World {
  putFile(engine.files, 'model.xml', xml)
  const compiled = compileModel(engine, 'model.xml')
  if ('refused' in compiled) throw new Error(compiled.refused)
  const { model } = compiled
  const { mujoco, files } = engine
  return { mujoco, model, data: new mujoco.MjData(model), facts: readFacts(mujoco, files, model) }
}

export const pendulum = {
  world: () => worldOf(readFileSync(example('robot/robot.xml'), 'utf8')),
  face: json('robot/robot_card.json').interface as EmbodimentInterface,
  contract: json('policy/contract.json').contract as Readonly<Record<string, unknown>>,
  task: readTask(json('policy/task.json')),
  policy: async () => openOnnx(await nodeRuntime(), readFileSync(example('policy/policy.onnx'))),
}

/** A policy of a test: from the numbers of one observation to those of an action. */
export function madePolicy(
  sizes: { readonly sees: number; readonly acts: number },
  answer: (seen: readonly number[]) => readonly number[],
): LoopPolicy {
  return {
    inputs: [{ name: 'obs', type: 'float64', shape: ['batch', sizes.sees] }],
    outputs: [{ name: 'actions', type: 'float64', shape: ['batch', sizes.acts] }],
    run: ({ obs }) => {
      const data = Float64Array.from(answer(Array.from(obs?.data as Float64Array)))
      return Promise.resolve({ actions: { type: 'float64', dims: [1, data.length / sizes.acts, sizes.acts], data } })
    },
  }
}

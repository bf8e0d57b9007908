/** The actions in what a model answers: one, or a chunk of several. Pure. */
import type { Tensor, TensorSpec } from '@hub/policy-server/wire/tensors'

interface ActionReader {
  readonly lacks: readonly string[]
  /** In the order in which they are taken. Throws where the shape is none that was said. */
  actions(outputs: Readonly<Record<string, Tensor>>): ArrayLike<number>[]
}

/** Names that exporters give to the output that matters. */
const names = new Set(['action', 'actions', 'mean', 'mu'])

/** `joints`: numbers of one action. */
export function actionReader(outputs: readonly TensorSpec[], joints: number): ActionReader {
  const output = outputs.length === 1 ? outputs[0] : outputs.find(({ name }) => names.has(name.toLowerCase()))
  if (!output) return lacking(`No output of the policy is named action or actions: ${listOf(outputs)}.`)
  const width = output.shape.at(-1)
  if (!output.type.startsWith('float') || output.shape.length === 0 || output.shape.length > 3)
    return lacking(`The output ${JSON.stringify(output.name)} is not an action, a chunk of them or a batch of one.`)
  if (typeof width === 'number' && width !== joints)
    return lacking(`The output ${JSON.stringify(output.name)} has ${width} numbers, and the policy ${joints} joints.`)
  return {
    lacks: [],
    actions(found) {
      const tensor = found[output.name]
      const data = tensor?.data as Float32Array | Float64Array | undefined
      if (!data || data.length === 0 || tensor?.dims.at(-1) !== joints)
        throw new Error(`The policy answered with ${JSON.stringify(output.name)} of [${tensor?.dims ?? ''}].`)
      return Array.from({ length: data.length / joints }, (_, place) =>
        data.subarray(joints * place, joints * (place + 1)),
      )
    },
  }
}

const listOf = (outputs: readonly TensorSpec[]) => outputs.map(({ name }) => JSON.stringify(name)).join(', ')

const lacking = (why: string): ActionReader => ({ lacks: [why], actions: () => [] })

/** `onnx.shapes`: the inputs and outputs of a graph, compared with the contract where sizes are known. Pure. */

import type { GraphValue } from '@hub/formats/policy/onnx-tensors'
import { type Check, check } from '@hub/mjcf/verdict/check'
import { blocksOf, jointsOf, observationSize, semanticsOf } from './contract.ts'
import type { Policy } from './read-policy.ts'

type Document = Readonly<Record<string, unknown>>

/** Names that exporters give to the one input and output that matter; a recurrent policy has others next to them. */
const observationNames = new Set(['obs', 'observation', 'observations', 'observation.state', 'state', 'policy'])
const actionNames = new Set(['action', 'actions', 'mean', 'mu'])

/** Only of these has an action one number a joint. */
const jointSemantics = new Set<unknown>(['position', 'position_offset', 'position_delta', 'velocity', 'torque'])

interface Size {
  readonly name: string
  readonly found: number
  readonly expected: number
  readonly fits: boolean
}

/** `contract`: the policy's own, else the one derived for it; null where there is neither. */
export function shapeCheck(policy: Policy, contract: Document | null): Check {
  const sizes = [actionSize(policy, contract), observedSize(policy, contract)].filter((size) => size !== null)
  const wrong = sizes.filter(({ fits }) => !fits)
  if (wrong.length > 0) {
    const sizesText = wrong
      .map(({ name, found, expected }) => `${name} has ${found} numbers, the contract ${expected}`)
      .join('; ')
    const names = wrong.map(({ name }) => name)
    return check('onnx.shapes', 'fail', `The sizes are not those of the contract: ${sizesText}.`, {
      names,
      hint: 'Export the policy for this robot, or name the joints and observation terms that it was trained with.',
      data: { verdict: 'mismatch', sizes },
    })
  }
  if (sizes.length === 0) return check('onnx.shapes', 'skip', 'No size of the policy can be held against a contract.')
  const sizesText = sizes.map(({ name, found }) => `${name} has ${found} numbers`).join(', ')
  return check('onnx.shapes', 'pass', `The sizes are those of the contract: ${sizesText}.`, {
    data: { verdict: 'match', sizes },
  })
}

function actionSize(policy: Policy, contract: Document | null): Size | null {
  const joints = jointsOf(contract)
  if (!joints || !jointSemantics.has(semanticsOf(contract))) return null
  const output = policy.onnx ? mainOf(policy.onnx.outputs, actionNames) : null
  const found = output ? widthOf(output) : policy.declared.actions
  if (found === null) return null
  return { name: output?.name ?? 'action', found, expected: joints.length, fits: found === joints.length }
}

/** A policy may see several steps of its past at once. */
function observedSize(policy: Policy, contract: Document | null): Size | null {
  const input = policy.onnx ? mainOf(policy.onnx.inputs, observationNames) : null
  const found = input ? widthOf(input) : null
  const expected = observationSize(blocksOf(contract), jointsOf(contract)?.length ?? 0)
  if (!input || found === null || expected === null || expected === 0) return null
  return { name: input.name, found, expected, fits: found % expected === 0 }
}

function mainOf(values: readonly GraphValue[], names: ReadonlySet<string>): GraphValue | null {
  return values.length === 1 ? (values[0] ?? null) : (values.find(({ name }) => names.has(name.toLowerCase())) ?? null)
}

/** The last size: before it come the batch and the steps of a chunk. */
function widthOf({ shape }: GraphValue): number | null {
  const last = shape?.at(-1)
  return typeof last === 'number' ? last : null
}

/**
 * The contract between a policy and its robot: derived from the robot's interface, and compared with it field by field.
 * Pure.
 */

import { canonicalSha256 } from '@hub/formats/canonical-hash'
import { isJsonObject } from '@hub/formats/exact-json'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { Difference, ModelCheckObs } from './model-request.ts'

type Document = Readonly<Record<string, unknown>>

const VERSION = 1

/** What a policy relies on of a robot, and what it sees. */
export function derivedContract(face: EmbodimentInterface, obs: ModelCheckObs): Document {
  const { blocks, scales, cycle_time_s, profile, task } = obs
  return {
    version: VERSION,
    joint_order: face.joint_order,
    default_pose: face.default_pose ?? null,
    action: face.action,
    control_rate_hz: face.control_rate_hz,
    observation: {
      blocks: blocks ?? [],
      scales: scales ?? null,
      cycle_time_s: cycle_time_s ?? null,
      profile: profile ?? null,
      task: task ?? null,
    },
  }
}

export const contractFingerprint = (contract: Document) => canonicalSha256(contract)

export type ComparedCode = 'contract.joint_order' | 'contract.action' | 'contract.rate'

/** The fields that a contract and an interface both have, by the check that they belong to. */
const compared: Readonly<Record<ComparedCode, readonly string[]>> = {
  'contract.joint_order': ['joint_order'],
  'contract.action': ['action.semantics', 'action.scale', 'action.scale_per_joint', 'action.clip', 'default_pose'],
  'contract.rate': ['control_rate_hz'],
}

export interface Comparison {
  readonly code: ComparedCode
  /** Fields that the contract declares. */
  readonly said: readonly string[]
  readonly differing: readonly Difference[]
}

/** A field that the contract does not declare is not compared: unknown means neither equal nor different. */
export function comparisons(contract: Document, face: EmbodimentInterface): readonly Comparison[] {
  return (Object.entries(compared) as [ComparedCode, readonly string[]][]).map(([code, fields]) => {
    const pairs = fields.map((field) => ({ field, policy: at(contract, field), robot: at(face, field) }))
    const declared = pairs.filter(({ policy }) => policy !== null)
    return {
      code,
      said: declared.map(({ field }) => field),
      differing: declared.filter(({ policy, robot }) => !same(policy, robot)),
    }
  })
}

/** By the rule of fingerprints: `1.0` is `1`, and null is absent. */
const same = (a: unknown, b: unknown) => canonicalSha256({ value: a }) === canonicalSha256({ value: b })

function at(root: unknown, field: string): unknown {
  let value = root
  for (const name of field.split('.')) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : null
  return value ?? null
}

const texts = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? (value as string[]) : null

export const jointsOf = (contract: Document | null) => texts(at(contract, 'joint_order'))
export const blocksOf = (contract: Document | null) => texts(at(contract, 'observation.blocks'))
export const semanticsOf = (contract: Document | null) => at(contract, 'action.semantics')

/** Terms of one width everywhere; `joints` means one number per joint. */
const blockSizes: Readonly<Record<string, number | 'joints'>> = {
  joint_pos: 'joints',
  joint_vel: 'joints',
  joint_effort: 'joints',
  last_action: 'joints',
  base_lin_vel: 3,
  base_ang_vel: 3,
  projected_gravity: 3,
}

/** Numbers of one observation; null where a term has no width of its own, such as a command or an image. */
export function observationSize(blocks: readonly string[] | null, joints: number): number | null {
  if (!blocks || blocks.length === 0) return null
  let size = 0
  for (const block of blocks) {
    const width = Object.hasOwn(blockSizes, block) ? blockSizes[block] : undefined
    if (width === undefined) return null
    size += width === 'joints' ? joints : width
  }
  return size
}

import type { Embodiment } from './embodiment.ts'
import { actionOf, baseOf, camerasOf } from './from-card.ts'
import { isObject, namesIn, numbersByName, positiveOf } from './json.ts'

/**
 * The body that a policy was made for, by its contract. Numbers of a contract are those of its robot, in SI units.
 * Null where it names no joints.
 */
export function fromContract(contract: unknown): Embodiment | null {
  if (!isObject(contract)) return null
  const order = namesIn(contract.joint_order)
  if (order === null) return null
  return {
    joints: order.map((name) => ({
      ...{ name, kind: null, unit: 'si' as const },
      ...{ lower: null, upper: null, velocity: null, effort: null },
    })),
    rateHz: positiveOf(contract.control_rate_hz),
    base: baseOf(contract.base),
    action: actionOf(contract.action),
    cameras: camerasOf(contract.cameras),
    pose: numbersByName(contract.default_pose),
  }
}

/** What an endpoint keeps of its policy's contract: which robots fit is decided by it, whatever the repo has later. */
import { fromContract } from '@hub/embodiment/from-contract'
import { MAX_MAPPED_JOINTS } from '@hub/embodiment/read-joint-map'
import { writeExact } from '@hub/formats/exact-json'

/** The members of a contract that `fromContract` reads. */
const members = ['joint_order', 'control_rate_hz', 'base', 'action', 'cameras', 'default_pose'] as const

/** JSON of those members; null where the contract names no joints, or more than a map can have. */
export function policyBodyOf(contract: Readonly<Record<string, unknown>> | null): string | null {
  const body = fromContract(contract)
  if (contract === null || body === null || body.joints.length > MAX_MAPPED_JOINTS) return null
  return writeExact(Object.fromEntries(members.flatMap((name) => (name in contract ? [[name, contract[name]]] : []))))
}

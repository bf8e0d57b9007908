/** A policy compared with its robot: the checks, the answers still needed, and the manifest to publish. Pure. */

import type { ControlClass } from '@hub/formats/policy/stamp'
import { type Check, check } from '@hub/mjcf/verdict/check'
import type { Need } from '../request.ts'
import { comparisons, contractFingerprint } from './contract.ts'
import { comparedChecks, fingerprintCheck, observationCheck, stampCheck } from './contract-checks.ts'
import { missingAnswers, stampedContract } from './missing-answers.ts'
import type { Difference, ModelCheckRequest } from './model-request.ts'
import type { Policy } from './read-policy.ts'
import type { RobotFace } from './robot-face.ts'
import { shapeCheck } from './shape-checks.ts'

type Document = Readonly<Record<string, unknown>>

export interface Judgement {
  readonly checks: readonly Check[]
  readonly needs: readonly Need[]
  readonly embodiment: 'match' | 'mismatch' | 'unstamped'
  readonly stampedByCheck: boolean
  readonly differing: readonly Difference[]
  readonly controlClass: ControlClass | null
  /** The policy's own, else the robot's where the check stamped it. */
  readonly embodimentFingerprint: string | null
  readonly robotFingerprint: string | null
  /** Null where the policy is not stamped, and was not. */
  readonly manifest: Document | null
}

/** `robot`: null where the check names no robot, or one that declares no interface. */
export function judgePolicy(policy: Policy, robot: RobotFace | null, request: ModelCheckRequest): Judgement {
  const { stamp } = policy
  const own = stamp.embodimentFingerprint
  const [face, robotFingerprint] = [robot?.face ?? null, robot?.fingerprint ?? null]
  const compared = stamp.contract && face ? comparisons(stamp.contract, face) : []
  const needs = own === null ? missingAnswers(policy, face, request) : []
  const conflicts = compared.flatMap(({ differing }) => differing)
  const mayStamp = own === null && needs.length === 0 && conflicts.length === 0
  const candidate = mayStamp && face ? stampedContract(stamp.contract, face, request.obs ?? {}) : null
  const shapes = shapeCheck(policy, candidate ?? stamp.contract)
  const derived = shapes.status === 'fail' ? null : candidate
  const contract = derived ?? stamp.contract
  const differing = own !== null && own !== robotFingerprint ? [unlike(own, robotFingerprint), ...conflicts] : conflicts
  const judged = { stamp, face, derived, contract, compared, own, robotFingerprint }
  const checks = [
    stampCheck(judged),
    shapes,
    ...comparedChecks(judged),
    observationCheck(judged),
    fingerprintCheck(judged),
  ]
  const controlClass = stamp.controlClass ?? request.control_class ?? null
  const embodimentFingerprint = own ?? (derived ? robotFingerprint : null)
  return {
    checks,
    needs: own === null ? needs : advice(policy, request, controlClass),
    embodiment: own === null ? 'unstamped' : differing.length === 0 ? 'match' : 'mismatch',
    stampedByCheck: derived !== null,
    differing,
    controlClass,
    embodimentFingerprint,
    robotFingerprint,
    manifest: embodimentFingerprint === null ? null : manifestOf(policy, contract, controlClass, embodimentFingerprint),
  }
}

const unlike = (policy: string, robot: string | null): Difference => ({
  field: 'embodiment_fingerprint',
  policy,
  robot,
})

/** Its own members stay; values from a header override declared ones. */
function manifestOf(
  policy: Policy,
  contract: Document | null,
  controlClass: ControlClass | null,
  fingerprint: string,
): Document {
  const { stamp } = policy
  return {
    ...stamp.document,
    policy_format: policy.format,
    policy_type: policy.type,
    control_class: controlClass,
    params: policy.params ?? stamp.params,
    contract_fingerprint:
      (contract === stamp.contract ? stamp.contractFingerprint : null) ?? (contract && contractFingerprint(contract)),
    embodiment_fingerprint: fingerprint,
    contract,
  }
}

/** A stamped policy needs no answers. */
function advice({ stamp }: Policy, request: ModelCheckRequest, controlClass: ControlClass | null): Need[] {
  const about = (why: string): Need => ({
    field: 'model.control_class',
    severity: 'advice',
    why,
    names: [],
    suggestion: null,
  })
  if (controlClass === null) return [about('The policy does not say its control class, and none was answered.')]
  if (stamp.controlClass === null || !request.control_class || request.control_class === stamp.controlClass) return []
  return [about(`The policy says ${stamp.controlClass}, which counts; ${request.control_class} was answered.`)]
}

/** A policy that could not be read: only the check that reports this ran. */
export function unreadable(robot: RobotFace | null, failed: Check): Judgement {
  return {
    checks: [failed, check('embodiment.fingerprint', 'skip', 'The policy was not read.')],
    needs: [],
    embodiment: 'unstamped',
    stampedByCheck: false,
    differing: [],
    controlClass: null,
    embodimentFingerprint: null,
    robotFingerprint: robot?.fingerprint ?? null,
    manifest: null,
  }
}

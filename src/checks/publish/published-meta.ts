/**
 * The meta block that a published model check gives its repo. Pure. Spec, "POST /v1/robot-checks/{check_id}/publish".
 */

import { sha256Text, wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import type { ModelMetaBlock } from '../../repos/put-meta.ts'
import type { ControlClass, ModelMeta } from '../../repos/repo-shape.ts'
import type { Document } from '../check-parts.ts'

/**
 * The policy type, which a meta block must have, if neither check nor repo knows one and the check knows no policy
 * format either.
 */
const UNKNOWN_POLICY = 'unknown'

export interface MetaSource {
  readonly intake: Document | null
  /** The request of the check. */
  readonly model: Document | null
  /** The robot that the check compared the policy with. */
  readonly robot: { readonly id: string; readonly fullName: string } | null
  /** The current meta block of the repo. */
  readonly current: ModelMeta | null
}

const controlClass = z.enum(['reflex', 'skill', 'planner'])

/**
 * Follows the rules of putModelMeta: a text of the intake that they refuse counts as absent. A value that the check
 * does not determine stays.
 */
export function metaToPublish({ intake, model, robot, current }: MetaSource): ModelMetaBlock {
  const word = (name: string) => wordText.safeParse(intake?.[name]).data ?? null
  const classOf = (document: Document | null): ControlClass | null =>
    controlClass.safeParse(document?.control_class).data ?? null
  return {
    policyType: word('policy_type') ?? current?.policyType ?? word('policy_format') ?? UNKNOWN_POLICY,
    baseModel: current?.baseModel ?? null,
    sourceRunId: current?.sourceRunId ?? null,
    controlClass: classOf(intake) ?? classOf(model) ?? current?.controlClass ?? null,
    robot: robot ? robot.fullName : (current?.robot ?? null),
    robotRepoId: robot ? robot.id : (current?.robotRepoId ?? null),
    // The fingerprint of the published files only: the repo's current one is for other files.
    embodimentFingerprint: sha256Text.safeParse(intake?.embodiment_fingerprint).data ?? null,
  }
}

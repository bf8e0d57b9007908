/** The meta block that a published model check gives its repo. Pure. Spec, "POST /v1/robot-checks/{check_id}/publish". */
import { z } from 'zod'
import { sha256Text, wordText } from '../../platform/text-rules.ts'
import type { ModelMetaBlock } from '../../repos/put-meta.ts'
import type { ControlClass, ModelMeta } from '../../repos/repo-shape.ts'
import type { Document } from '../check-parts.ts'

/** A meta block has a policy type; where neither check nor repo knows one, it is the format, else this. */
const UNKNOWN_POLICY = 'unknown'

export interface MetaSource {
  readonly intake: Document | null
  /** The request of the check. */
  readonly model: Document | null
  /** `owner/slug` of the robot that the check held the policy against. */
  readonly robot: string | null
  /** What the repo has now. */
  readonly current: ModelMeta | null
}

const controlClass = z.enum(['reflex', 'skill', 'planner'])

/** By the rules of putModelMeta: a text of the intake that these refuse counts as absent. What the check says nothing about stays. */
export function metaToPublish({ intake, model, robot, current }: MetaSource): ModelMetaBlock {
  const word = (name: string) => wordText.safeParse(intake?.[name]).data ?? null
  const classOf = (document: Document | null): ControlClass | null =>
    controlClass.safeParse(document?.control_class).data ?? null
  return {
    policyType: word('policy_type') ?? current?.policyType ?? word('policy_format') ?? UNKNOWN_POLICY,
    baseModel: current?.baseModel ?? null,
    sourceRunId: current?.sourceRunId ?? null,
    controlClass: classOf(intake) ?? classOf(model) ?? current?.controlClass ?? null,
    robot: robot ?? current?.robot ?? null,
    // Of the files that are published: an older one would be of others.
    embodimentFingerprint: sha256Text.safeParse(intake?.embodiment_fingerprint).data ?? null,
  }
}

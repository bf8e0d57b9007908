/**
 * The fields of a robot or model check that the client reads (spec, "Robot check job"). Unknown fields pass through.
 */

import { isId } from '@hub/formats/ids'
import { z } from 'zod'
import { type Answer, type Body, conformsTo } from './agreement.ts'
import { readAs } from './run-shapes.ts'
import { nullable, pageOf } from './shapes.ts'
import type * as v1 from './v1.ts'

const number = readAs(z.number())
const whole = readAs(z.number().int().min(0))
const anyObject = z.record(z.string(), z.unknown())
const repo = nullable(z.looseObject({ full_name: z.string() }))
const texts = z.array(z.string()).default([])

const reportedCheck = z.looseObject({
  code: z.string(),
  status: z.string(),
  message: z.string(),
  names: texts,
  hint: nullable(z.string()),
})
export type ReportedCheck = z.output<typeof reportedCheck>

const need = z.looseObject({
  field: z.string(),
  severity: z.string(),
  why: z.string(),
  names: texts,
  suggestion: nullable(z.string()),
})
export type RemoteNeed = z.output<typeof need>

export const remoteCheck = conformsTo<v1.RobotCheck>()(
  z.looseObject({
    // Used as a folder name.
    id: z.string().refine((id) => isId('check', id), 'is not a check id'),
    kind: z.string(),
    status: z.string(),
    robot_repo: repo,
    model_repo: repo,
    model: nullable(anyObject),
    intake: nullable(anyObject),
    entry: nullable(z.string()),
    base: nullable(z.string()),
    control_hz: nullable(number),
    action: nullable(z.string()),
    options: nullable(anyObject),
    executor: z.string(),
    created_at: z.string(),
    claimed_at: nullable(z.string()),
    finished_at: nullable(z.string()),
    claimed_by: nullable(z.string()),
    error: nullable(z.string()),
    sources_count: whole.default(0),
    sources_bytes: whole.default(0),
    log_tail: nullable(z.string()),
    report: nullable(
      z.looseObject({ ok: z.boolean(), grade: z.string(), engine: z.string(), checks: z.array(reportedCheck) }),
    ),
    draft: nullable(
      z.looseObject({
        mjcf_path: nullable(z.string()),
        card: nullable(anyObject),
        needs_you: z.array(need).default([]),
      }),
    ),
    artifacts: z.array(z.looseObject({ path: z.string(), size: whole })).default([]),
    publish_blockers: texts,
    published: nullable(anyObject),
  }),
)
export type RemoteCheck = z.output<typeof remoteCheck>

const source = z.looseObject({
  path: z.string(),
  sha256: z.string().regex(/^[\da-f]{64}$/),
  size: whole,
  url: z.string(),
})

export const claimedCheck = conformsTo<Answer<'claimRobotCheck'>>()(
  remoteCheck.extend({ sources: nullable(z.array(source)) }),
)
export type ClaimedCheck = z.output<typeof claimedCheck>

export const nextCheck = claimedCheck.nullable()

export const checkPage = conformsTo<Answer<'listRobotChecks'>>()(pageOf(remoteCheck))

export const artifactUploads = conformsTo<Answer<'presignRobotCheckArtifacts'>>()(
  z.looseObject({ uploads: z.array(z.looseObject({ name: z.string(), url: z.string() })) }),
)

export type NewCheck = Body<'createRobotCheck'>
/** Absent members change nothing. */
export type CheckReportBody = Body<'reportRobotCheck'>
export type ArtifactFile = Body<'presignRobotCheckArtifacts'>['files'][number]
export type Publication = Body<'publishRobotCheck'>

/**
 * One model check, from a folder of files and a request to an intake and a report: the policy's headers are read, its
 * declarations are compared with the robot's interface, and missing ones are derived. No weights are loaded, nothing is
 * run, and no hub is called.
 */

import { FetchFault } from '@hub/client/guarded'
import { FormatFault } from '@hub/formats/policy/format-fault'
import type { OnnxHeader } from '@hub/formats/policy/onnx-header'
import { type Check, check, gradeOf } from '@hub/mjcf/verdict/check'
import type { DraftReport } from '../draft-report.ts'
import type { Need } from '../request.ts'
import type { CheckReport } from '../validate/report.ts'
import { type FetchedPolicy, fetchPolicy } from './hf/fetch-policy.ts'
import { type Judgement, judgePolicy, unreadable } from './judge-policy.ts'
import type { ModelCheckRequest, ModelIntake } from './model-request.ts'
import { type PolicyArtifact, policyArtifacts, policyDigest, tooLarge } from './policy-artifacts.ts'
import { type Policy, readPolicy } from './read-policy.ts'
import { faceOf, type RobotFace } from './robot-face.ts'

/** What a model check may take. */
export interface ModelLimits {
  /** One artifact is one PUT. Spec, "Limits". */
  readonly artifactBytes: number
  /** The hub takes so many of a check. */
  readonly artifacts: number
  /** All files that are fetched from another hub, on this machine's disk. */
  readonly fetchedBytes: number
}

const MIB = 1024 * 1024

export const modelLimits: ModelLimits = { artifactBytes: 256 * MIB, artifacts: 100, fetchedBytes: 1024 * MIB }

export interface ModelCheck {
  /** The files of the draft; an empty folder where the request names an `hf_repo`, which is fetched into it. */
  readonly folder: string
  /** An ONNX file or a checkpoint directory of the folder; not used with `hf_repo`. */
  readonly entry: string | null
  readonly request: ModelCheckRequest
  /** The robot's card as JSON, as the hub returns it; null if the check names no robot, or one without a card. */
  readonly robotCard: string | null
  /** `HF_ENDPOINT`; null for Hugging Face itself. */
  readonly mirror: string | null
  readonly log: (line: string) => void
  readonly signal: AbortSignal
  readonly limits?: ModelLimits
}

export interface ModelCheckResult {
  readonly report: CheckReport
  /** The report's summary of the draft; the needs are separate. */
  readonly draft: DraftReport
  readonly intake: ModelIntake
  readonly needs: readonly Need[]
  /** What would be published; none where a check failed, or where nothing is stamped. */
  readonly artifacts: readonly PolicyArtifact[]
}

/**
 * Rejects with a `LocalError` or the system's error where a file cannot be read, and with `signal`'s reason; whatever
 * is wrong with the policy is in the result.
 */
export async function checkModel(given: ModelCheck): Promise<ModelCheckResult> {
  const { request, log, signal, limits = modelLimits } = given
  const robot = faceOf(given.robotCard)
  const fetched = request.hf_repo ? await fetchInto(given, request.hf_repo, limits) : null
  const source = fetched && 'source' in fetched ? fetched.source : null
  const entry = fetched ? ('entry' in fetched ? fetched.entry : null) : (given.entry ?? '')
  const read = entry === null ? null : await policyAt(given.folder, entry)
  const policy = read && 'path' in read ? read : null
  const judged = judge(read, robot, request, source?.skipped ?? [])
  const checks = [...(fetched ? [sourceCheck(fetched)] : []), ...judged.checks]
  const ok = checks.every(({ status }) => status !== 'fail')
  const text = judged.manifest && `${JSON.stringify(judged.manifest, null, 2)}\n`
  const made =
    ok && policy && text ? policyArtifacts(policy, text, source === null, limits) : { artifacts: [], needs: [] }
  const skipped = (source?.skipped ?? []).map((path) => tooLarge(path, limits.artifactBytes))
  for (const one of checks) if (one.status !== 'pass') log(`${one.code} ${one.status}: ${one.message}`)
  signal.throwIfAborted()
  return {
    report: reportOf(checks, ok, robot),
    draft: await draftOf({ policy, judgement: judged, source: request.hf_repo ?? entry ?? '', manifest: text, signal }),
    intake: intakeOf(policy, judged, source),
    needs: [...judged.needs, ...skipped, ...made.needs],
    artifacts: made.artifacts,
  }
}

type Fetched = FetchedPolicy | { readonly fault: string }

async function fetchInto(
  { folder, mirror, log, signal }: ModelCheck,
  hfRepo: string,
  limits: ModelLimits,
): Promise<Fetched> {
  const fetchLimits = { fileBytes: limits.artifactBytes, totalBytes: limits.fetchedBytes, files: limits.artifacts - 1 }
  try {
    return await fetchPolicy({ hfRepo, folder, mirror, limits: fetchLimits, log, signal })
  } catch (error) {
    if (error instanceof FetchFault) return { fault: error.message }
    throw error
  }
}

function sourceCheck(fetched: Fetched): Check {
  if ('fault' in fetched) return check('source.hf', 'fail', fetched.fault)
  const { hf_repo, revision, license, bytes, skipped } = fetched.source
  const data = { hf_repo, revision, license, bytes }
  if (skipped.length > 0)
    return check('source.hf', 'warn', `Too large, so left out: ${skipped.join(', ')}.`, { names: skipped, data })
  if (license === null)
    return check('source.hf', 'warn', `${hf_repo} names no licence.`, {
      hint: 'Ask its author before you publish it.',
      data,
    })
  return check('source.hf', 'pass', `${hf_repo} was fetched at ${revision}, licence ${license}.`, { data })
}

async function policyAt(folder: string, entry: string): Promise<Policy | { readonly fault: string }> {
  try {
    return await readPolicy(folder, entry)
  } catch (error) {
    if (error instanceof FormatFault) return { fault: error.message }
    throw error
  }
}

function judge(
  read: Policy | { readonly fault: string } | null,
  robot: RobotFace | null,
  request: ModelCheckRequest,
  skipped: readonly string[],
): Judgement {
  if (read === null) return unreadable(robot, check('manifest.stamped', 'skip', 'The policy was not fetched.'))
  if ('path' in read) return judgePolicy(read, robot, request)
  // Without its largest files it was not to be read.
  if (skipped.length > 0) return unreadable(robot, check('manifest.stamped', 'skip', `It is too large: ${read.fault}`))
  return unreadable(robot, check('onnx.shapes', 'fail', read.fault))
}

function reportOf(checks: readonly Check[], ok: boolean, robot: RobotFace | null): CheckReport {
  return {
    ok,
    grade: gradeOf(checks),
    source: 'draft',
    engine: 'static',
    mjcf_path: null,
    interface_fingerprint: robot?.fingerprint ?? null,
    model: null,
    checks,
  }
}

async function draftOf({
  policy,
  judgement: { stampedByCheck },
  source,
  manifest,
  signal,
}: {
  readonly policy: Policy | null
  readonly judgement: Judgement
  readonly source: string
  readonly manifest: string | null
  readonly signal: AbortSignal
}): Promise<DraftReport> {
  const model = policy && {
    format: policy.format,
    type: policy.type,
    params: policy.params,
    files: policy.files.length,
    bytes: policy.files.reduce((bytes, { size }) => bytes + size, 0),
    sha256: await policyDigest(policy, manifest, signal),
  }
  const derived = stampedByCheck ? ['contract', 'contract_fingerprint', 'embodiment_fingerprint'] : []
  return { source, mjcf_path: null, model, derived, conversion: null }
}

function intakeOf(policy: Policy | null, judged: Judgement, source: ModelIntake['source']): ModelIntake {
  const { embodiment, stampedByCheck, differing, controlClass, embodimentFingerprint, robotFingerprint } = judged
  const found = policy && Object.keys(policy.stamp.document).length > 0 ? policy.stamp.document : null
  return {
    policy_path: policy?.path || null,
    policy_format: policy?.format ?? null,
    policy_type: policy?.type ?? null,
    embodiment,
    stamped_by_check: stampedByCheck,
    differing,
    control_class: controlClass,
    embodiment_fingerprint: embodimentFingerprint,
    robot_fingerprint: robotFingerprint,
    summary: judged.checks.find(({ status }) => status === 'fail')?.message ?? judged.checks[0]?.message ?? null,
    manifest: judged.manifest ?? found,
    graph: policy?.onnx ? shownGraph(policy.onnx) : null,
    params: policy?.params ?? null,
    source,
  }
}

/** A limit for the exporter's notes: some contain entire configurations. */
const MAX_NOTE = 1_000

function shownGraph(onnx: OnnxHeader): Readonly<Record<string, unknown>> {
  const notes = Object.entries(onnx.metadata).slice(0, MAX_NOTE)
  return {
    ...onnx,
    metadata: Object.fromEntries(notes.map(([name, note]) => [name, note.slice(0, MAX_NOTE).toWellFormed()])),
  }
}

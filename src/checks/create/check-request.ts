/** The request for a check, and its required members. Pure. Spec, "POST /v1/robot-checks". */
import { type ErrorItem, HubError } from '../../platform/errors.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { CheckAction, CheckKind, Document } from '../check-shape.ts'

/** `model`, `options` and `drop` have the member names of `/v1` and are stored as they are sent. */
export interface CheckRequest {
  readonly kind: CheckKind
  /** `owner/slug`. */
  readonly robotRepo?: string | null
  readonly model?: ModelRequest | null
  readonly entry?: string | null
  readonly base?: string | null
  readonly controlHz?: number | null
  readonly action?: CheckAction | null
  readonly options?: Document | null
  readonly executor?: JobExecutor | null
  readonly drop?: Document | null
}

/** ModelCheckRequest of the spec. */
export interface ModelRequest extends Document {
  readonly repo: string
  readonly hf_repo?: string | null
}

type Member = keyof CheckRequest

const isUrdf = (entry: string) => /\.urdf$/i.test(entry)

/**
 * 422 with one item for each member that is missing or not for this kind. No member has a default: the caller must give
 * every answer.
 */
export function assertWhole(request: CheckRequest): void {
  const faults = [...missing(request), ...misplaced(request)]
  if (faults.length === 0) return
  const said = faults.map(({ loc, detail }) => `${loc?.join('.')}: ${detail}`).join('; ')
  throw new HubError('validation.failed', said, { items: faults })
}

function missing(request: CheckRequest): ErrorItem[] {
  const { kind, entry, model } = request
  const wanted: Partial<Record<Member, string>> =
    kind === 'robot'
      ? {
          robotRepo: 'is required for a robot check',
          entry: 'is required for a robot check: the model file',
          controlHz: 'is required for a robot check: the rate that policies run at on the real robot',
          action: 'is required for a robot check: what a policy output means',
          ...(entry && isUrdf(entry) && { base: 'is required for a URDF, which does not say it: fixed or floating' }),
        }
      : {
          model: 'is required for a model check',
          ...(model && !model.hf_repo && { entry: 'is required: an ONNX file or a checkpoint directory of the draft' }),
        }
  return (Object.entries(wanted) as [Member, string][]).flatMap(([member, detail]) =>
    request[member] == null ? [{ type: 'validation.required', detail, loc: [member] }] : [],
  )
}

/**
 * The members that are not for a kind. If the hub ignored such a member, the caller would believe that it took effect.
 */
const notOf: Readonly<Record<CheckKind, readonly Member[]>> = {
  robot: ['model'],
  model: ['base', 'controlHz', 'action', 'options'],
}

function misplaced(request: CheckRequest): ErrorItem[] {
  return notOf[request.kind].flatMap((member) =>
    request[member] == null
      ? []
      : [{ type: 'validation.value', detail: `is not for a ${request.kind} check; leave it out`, loc: [member] }],
  )
}

/** What a repo's card, or the file that describes it, says of its body. Pure; never throws, whatever it is given. */
import { createHash } from 'node:crypto'
import type { Embodiment } from '@hub/embodiment/embodiment'
import { fromCard } from '@hub/embodiment/from-card'
import { fromContract } from '@hub/embodiment/from-contract'
import { fromLeRobot } from '@hub/embodiment/from-lerobot'
import { canonicalSha256 } from '@hub/formats/canonical-hash'
import { DATASET_INFO_PATH, parseSmallJson } from '../dataset-info.ts'
import type { RepoKind } from '../repo-shape.ts'

/** The files that may describe a body, in the order of their names: the first that is there is the one that counts. */
export const BODY_PATHS: Readonly<Record<RepoKind, readonly string[]>> = {
  dataset: [DATASET_INFO_PATH],
  model: ['contract.json', 'manifest.json'],
  robot: [],
}

/** 1 MiB: real files have a few kilobytes. */
export const MAX_BODY_FILE_BYTES = 1024 * 1024

/** 32 KiB of JSON: two hundred joints with all their limits. A larger body counts as none. The same as a CHECK. */
const MAX_BODY_BYTES = 32 * 1024

/** A body as it is kept. */
export interface KeptBody {
  readonly body: Embodiment
  /** Its JSON. */
  readonly text: string
  /** Equal for equal bodies. */
  readonly fingerprint: string
  /** Equal for bodies whose joints have the same names, in any order. */
  readonly jointsKey: string
}

/** The body that such a file of a data set or a model says; null where it names no joints. */
export function bodyOfFile(kind: RepoKind, bytes: Uint8Array): KeptBody | null {
  const json = bytes.length > MAX_BODY_FILE_BYTES ? undefined : parseSmallJson(bytes)
  return keptOf(() => (kind === 'dataset' ? fromLeRobot(json) : fromContract(contractIn(json))))
}

/** A manifest of several files has its contract as a member. */
const contractIn = (json: unknown) =>
  typeof json === 'object' && json !== null && 'contract' in json ? json.contract : json

/** The body of a robot, by its card; null where the card has no order of joints. */
export const bodyOfCard = (card: { readonly interface?: unknown; readonly limits?: unknown }): KeptBody | null =>
  keptOf(() => fromCard(card.interface, card.limits))

function keptOf(read: () => Embodiment | null): KeptBody | null {
  try {
    const body = read()
    if (body === null || body.joints.length === 0) return null
    const text = JSON.stringify(body)
    if (Buffer.byteLength(text) > MAX_BODY_BYTES) return null
    return { body, text, fingerprint: canonicalSha256(body), jointsKey: jointsKeyOf(body) }
  } catch {
    // Such as JSON of a hundred thousand levels, or half a surrogate pair in a name.
    return null
  }
}

const jointsKeyOf = ({ joints }: Embodiment) =>
  createHash('sha256')
    .update(JSON.stringify(joints.map(({ name }) => name).toSorted()))
    .digest('hex')

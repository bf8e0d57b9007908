/**
 * What a policy in the object store declares about itself, and how large it is, from ranges of its files: weights are
 * never fetched. Contract, "Inference endpoints".
 *
 * Each fact is that of the first that has it: the contract file `contract.json` (else `manifest.json`) next to an ONNX
 * file, then the model's own metadata; of a checkpoint its `manifest.json`. The size of a policy that declares none is
 * counted from the descriptions of its weights. An ONNX file that cannot be read has the facts of the file next to it.
 */

import { FormatFault } from '@hub/formats/policy/format-fault'
import { jointContract, stampPaths, stampsOf } from '@hub/formats/policy/onnx-stamps'
import { type ControlClass, type Stamp, stampOf } from '@hub/formats/policy/stamp'
import { MAX_DOCUMENT_BYTES, readStampDocument } from '@hub/formats/policy/stamp-document'
import pLimit from 'p-limit'
import type { Deps } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { asStoreRefusal, requireObjects } from '../../store/objects/required.ts'
import { CONCURRENT_POLICIES, READ_WALL_MS } from './limits.ts'
import { type StoredFile, storedSource } from './stored-file.ts'
import { countCheckpoint, openStoredOnnx, type Reading, type StoredOnnx } from './weights.ts'

export interface StoredPolicyInput {
  readonly kind: 'onnx' | 'checkpoint'
  /** The ONNX file, or the checkpoint directory; the empty text is the root. */
  readonly path: string
  /**
   * Of an ONNX file itself and `contract.json` and `manifest.json` next to it where they are; of a checkpoint all files
   * of the directory.
   */
  readonly files: readonly StoredFile[]
  /** Its size where nothing declares it: the weights of a checkpoint are then not counted. */
  readonly params?: number | null
}

export interface StoredPolicy {
  /** Why this is no such policy: a sentence. Its other facts are then null. */
  readonly broken: string | null
  /** As declared, else as given, else as counted; null if it cannot be counted either. */
  readonly params: number | null
  readonly controlClass: ControlClass | null
  readonly contractFingerprint: string | null
  /** The contract with the policy's joints, as the first document that names them has it; null if none does. */
  readonly contract: Readonly<Record<string, unknown>> | null
  /** As declared; null if nothing does. */
  readonly policyFormat: string | null
  readonly policyType: string | null
  /** Files in which an ONNX file keeps weights: its own digest does not pin them. */
  readonly outside: readonly string[]
  /** Declarations that cannot be used, and why the weights were not counted: one sentence each. */
  readonly faults: readonly string[]
}

const atOnce = pLimit(CONCURRENT_POLICIES)

/**
 * Reads at most 64 MiB and 2,000 ranges of a file, for at most 20 s altogether; a count that takes more is null, with a
 * fault that says so. Rejects with 503 if there is no store, or it does not respond in time, 502 or 409 for a file that
 * is not in it, and with the signal's reason.
 */
export async function readStoredPolicy(
  deps: Pick<Deps, 'db' | 'objects'>,
  input: StoredPolicyInput,
  signal: AbortSignal,
): Promise<StoredPolicy> {
  const objects = requireObjects(deps)
  return await atOnce(async () => {
    const late = AbortSignal.timeout(READ_WALL_MS)
    const reading: Reading = { db: deps.db, objects, late, signal: AbortSignal.any([signal, late]) }
    try {
      signal.throwIfAborted()
      return await (input.kind === 'onnx' ? onnxPolicy : checkpointPolicy)(reading, input)
    } catch (error) {
      signal.throwIfAborted()
      if (late.aborted) throw new HubError('unavailable', 'The object store is too slow to read the policy; try again.')
      if (error instanceof FormatFault) return brokenPolicy(error.message)
      throw asStoreRefusal(error)
    }
  })
}

const brokenPolicy = (broken: string): StoredPolicy => ({
  broken,
  params: null,
  controlClass: null,
  contractFingerprint: null,
  contract: null,
  policyFormat: null,
  policyType: null,
  outside: [],
  faults: [],
})

async function onnxPolicy(reading: Reading, { path, files, params }: StoredPolicyInput): Promise<StoredPolicy> {
  const [beside] = stampPaths(path).flatMap((one) => find(files, one) ?? [])
  const document = beside ? { path: beside.path, value: await documentOf(reading, beside) } : null
  const model = await openStoredOnnx(reading, named(files, path)).catch((error: unknown) => {
    if (error instanceof FormatFault && document) return broken(error.message)
    throw error
  })
  const { count, outside } = await model.weights()
  return { ...(await policyOf(stampsOf(document, model.metadata), async () => params ?? count)), outside }
}

const broken = (reason: string): StoredOnnx => ({
  metadata: {},
  weights: async () => ({ count: reason, outside: [] }),
})

async function checkpointPolicy(reading: Reading, { path, files, params }: StoredPolicyInput): Promise<StoredPolicy> {
  const prefix = path === '' ? '' : `${path}/`
  const manifest = named(files, `${prefix}manifest.json`)
  const within = files.filter((file) => file.path.startsWith(`${prefix}policy/`))
  if (within.length === 0) throw new FormatFault(`${prefix}policy/ is empty.`)
  const stamp = stampOf(manifest.path, await documentOf(reading, manifest))
  return policyOf([stamp], async () => params ?? (await countCheckpoint(reading, within)))
}

/** A size of 0 is none. */
const paramsOf = ({ params }: Stamp) => params || null

async function policyOf(stamps: readonly Stamp[], count: () => Promise<number | string>): Promise<StoredPolicy> {
  const first = <T>(of: (stamp: Stamp) => T | null): T | null =>
    stamps.reduce<T | null>((found, stamp) => found ?? of(stamp), null)
  const counted = first(paramsOf) ?? (await count())
  const isCounted = typeof counted === 'number'
  return {
    broken: null,
    params: isCounted ? counted : null,
    controlClass: first(({ controlClass }) => controlClass),
    contractFingerprint: first(({ contractFingerprint }) => contractFingerprint),
    contract: jointContract(stamps),
    policyFormat: first(({ policyFormat }) => policyFormat),
    policyType: first(({ policyType }) => policyType),
    outside: [],
    faults: [...stamps.flatMap(({ faults }) => faults), ...(isCounted ? [] : [counted])],
  }
}

const find = (files: readonly StoredFile[], path: string) => files.find((file) => file.path === path)

function named(files: readonly StoredFile[], path: string): StoredFile {
  const file = find(files, path)
  if (!file) throw new FormatFault(`There is no ${path}.`)
  return file
}

async function documentOf(reading: Reading, file: StoredFile): Promise<Readonly<Record<string, unknown>>> {
  if (file.sizeBytes > MAX_DOCUMENT_BYTES) throw new FormatFault(`${file.path} is over 1 MiB.`)
  const bytes = await storedSource(reading, file, reading.signal).fetch(0, file.sizeBytes)
  return readStampDocument(file.path, bytes)
}

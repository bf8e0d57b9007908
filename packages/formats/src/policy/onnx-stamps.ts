/**
 * Where the declarations of an ONNX policy stand, and which of them counts: the same for endpoints, checks, rollouts
 * and pages. Contract, "Inference endpoints". Pure.
 */
import { metadataStamp, type Stamp, stampOf } from './stamp.ts'

type Document = Readonly<Record<string, unknown>>

export interface StampDocument {
  readonly path: string
  readonly value: Document
}

/** The files beside the ONNX file at `path` that may declare what it is: the first one that is there does. */
export function stampPaths(path: string): readonly [contract: string, manifest: string] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return [`${folder}contract.json`, `${folder}manifest.json`]
}

/**
 * What declares an ONNX policy, the first that has a fact first: the file beside it, then its own metadata. `metadata`:
 * null where it was not read.
 */
export const stampsOf = (
  document: StampDocument | null,
  metadata: Readonly<Record<string, string>> | null,
): readonly Stamp[] => [
  ...(document ? [stampOf(document.path, document.value)] : []),
  ...(metadata ? [metadataStamp(metadata)] : []),
]

/** The contract with the policy's joints, as the first stamp that names them has it; null if none does. */
export const jointContract = (stamps: readonly Stamp[]): Document | null =>
  stamps.reduce<Document | null>(
    (found, { contract, document }) => found ?? [contract, document].find((one) => one?.joint_order != null) ?? null,
    null,
  )

/**
 * The contract that a policy is driven by: with its joints where one names them, else the first. Null where nothing
 * declares one.
 */
export const drivenContract = (stamps: readonly Stamp[]): Document | null =>
  jointContract(stamps) ?? stamps.find(({ contract }) => contract !== null)?.contract ?? null

/**
 * A policy's declarations about itself: the members of a manifest, a contract file or an ONNX file's metadata.
 * Contract, "Inference endpoints". Pure.
 */
import { asDouble, isJsonObject, parseExact } from '../exact-json.ts'
import { freeFormFaults } from '../free-form-faults.ts'
import { MAX_DOCUMENT_BYTES } from './stamp-document.ts'

export type ControlClass = 'reflex' | 'skill' | 'planner'

type Document = Readonly<Record<string, unknown>>

export interface Stamp {
  /** The file that declares it; null for a model's own metadata, and if nothing does. */
  readonly path: string | null
  /** As it was given, with members that are not known. */
  readonly document: Document
  readonly policyFormat: string | null
  readonly policyType: string | null
  readonly controlClass: ControlClass | null
  readonly params: number | null
  readonly contractFingerprint: string | null
  /** The members that make a policy stamped. */
  readonly embodimentFingerprint: string | null
  readonly contract: Document | null
  /** Members that are there and cannot be used: one sentence each. */
  readonly faults: readonly string[]
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' && value.length <= 256 ? value : null)
const digest = (value: unknown) => (typeof value === 'string' && /^[a-f0-9]{64}$/.test(value) ? value : null)
const controlClass = (value: unknown) => (value === 'reflex' || value === 'skill' || value === 'planner' ? value : null)
const object = (value: unknown) => (isJsonObject(value) ? value : null)

function wholeNumber(value: unknown): number | null {
  const number = asDouble(value)
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null
}

/**
 * The stamp in a JSON object; `path` is null for a model's metadata. A member of the wrong type counts as absent and is
 * listed in `faults`.
 */
export function stampOf(path: string | null, document: Document): Stamp {
  const faults: string[] = []
  const member = <T>(name: string, read: (value: unknown) => T | null, expected: string): T | null => {
    const value = document[name]
    if (value === undefined || value === null) return null
    const found = read(value)
    if (found === null) faults.push(`${path ?? 'The metadata'}: ${name} must be ${expected}.`)
    return found
  }
  return {
    path,
    document,
    policyFormat: member('policy_format', text, 'a text'),
    policyType: member('policy_type', text, 'a text'),
    controlClass: member('control_class', controlClass, 'reflex, skill or planner'),
    params: member('params', wholeNumber, 'a whole number'),
    contractFingerprint: member('contract_fingerprint', digest, '64 lower-case hex digits'),
    embodimentFingerprint: member('embodiment_fingerprint', digest, '64 lower-case hex digits'),
    contract: member('contract', object, 'an object'),
    faults,
  }
}

/** Members whose text in a model's metadata is JSON. */
const jsonMembers = new Set(['contract', 'params'])
const known = new Set([
  ...jsonMembers,
  ...['policy_format', 'policy_type', 'control_class', 'contract_fingerprint', 'embodiment_fingerprint'],
])

/** The metadata of a model has only texts, and members of others. */
export function metadataStamp(metadata: Readonly<Record<string, string>>): Stamp {
  const entries = Object.entries(metadata).filter(([name]) => known.has(name))
  return stampOf(
    null,
    Object.fromEntries(entries.map(([name, value]) => [name, jsonMembers.has(name) ? jsonOf(value) : value])),
  )
}

/** The text itself if it is not JSON, or too large for a report; the member is then rejected. */
function jsonOf(value: string): unknown {
  if (value.length > MAX_DOCUMENT_BYTES) return value
  try {
    const read = parseExact(value)
    return freeFormFaults(read).length === 0 ? read : value
  } catch {
    return value
  }
}

/** The JSON of a contract file or a manifest, as untrusted bytes. Pure. */
import { isJsonObject, parseExact } from '../exact-json.ts'
import { freeFormFaults } from '../free-form-faults.ts'
import { FormatFault } from './format-fault.ts'

export const MAX_DOCUMENT_BYTES = 1024 * 1024

/** The JSON object in `bytes`. Throws a `FormatFault` that names `path`. */
export function readStampDocument(path: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (bytes.length > MAX_DOCUMENT_BYTES) throw new FormatFault(`${path} is over 1 MiB.`)
  let value: unknown
  try {
    value = parseExact(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new FormatFault(`${path} is not JSON.`)
  }
  if (!isJsonObject(value)) throw new FormatFault(`${path} is not a JSON object.`)
  const [fault] = freeFormFaults(value)
  if (fault) throw new FormatFault(`${path}: ${fault.loc.slice(0, 5).join('.')} ${fault.message}.`)
  return value
}

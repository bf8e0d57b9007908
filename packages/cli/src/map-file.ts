/** A map of joints as JSON, in a file of this machine or as the hub keeps it. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { LocalError } from '@hub/client/internal'
import type { JointMap } from '@hub/embodiment/joint-map'
import { readJointMap } from '@hub/embodiment/read-joint-map'

/** The map in a file, by its path from `cwd`. Rejects with a `LocalError` that names the file and each fault. */
export async function fileMap(cwd: string, file: string): Promise<JointMap> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch((error: Error) => {
    throw new LocalError(`${file} cannot be read: ${error.message}`)
  })
  return mapIn(parsed(file, text), file)
}

/** `what` names it in the error. */
export function mapIn(json: unknown, what: string): JointMap {
  const read = readJointMap(json)
  if ('map' in read) return read.map
  const faults = read.faults.map(({ place, message }) => `${place || 'the whole'}: ${message}`)
  throw new LocalError(`${what} is not a map: ${faults.join('; ')}`)
}

/** `what` names it in the error. */
export function parsed(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new LocalError(`${what} is not JSON.`)
  }
}

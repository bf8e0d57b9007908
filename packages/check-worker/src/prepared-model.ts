/** The entry as it will be compiled: read statically, and a URDF with its answers applied. */

import type { FileWaves, ReadingPool } from '@hub/mjcf/processes/reading-pool'
import type { ModelReading } from '@hub/mjcf/reading'
import { overlaidFiles } from './overlaid-files.ts'
import type { RobotCheckRequest } from './request.ts'
import { type AnsweredUrdf, answeredUrdf } from './urdf/answered-urdf.ts'

export interface PreparedModel {
  readonly reading: ModelReading
  /** Null for MJCF, and for a URDF of which nothing could be read. */
  readonly urdf: AnsweredUrdf | null
  /** Where the MJCF of a URDF goes: next to it, so that relative paths hold. */
  readonly convertTo: string | null
}

/** Reads the entry, and reads it again if answers change the files that a URDF needs: its visual meshes. */
export async function preparedModel(
  files: FileWaves,
  pool: ReadingPool,
  { entry, base, options }: RobotCheckRequest,
  signal: AbortSignal,
): Promise<PreparedModel> {
  const { reading } = await pool.read(files, entry, signal)
  if (reading.format !== 'urdf') return { reading, urdf: null, convertTo: null }
  const [bytes] = await files.readFiles([entry], signal)
  if (!bytes) return { reading, urdf: null, convertTo: null }
  const urdf = answeredUrdf(bytes, entry, { base, discardVisual: options?.discard_visual })
  const convertTo = convertedPath(entry)
  if (urdf.text === null) return { reading, urdf, convertTo }
  const answered = await pool.read(overlaidFiles(files, entry, urdf.text), entry, signal)
  return { reading: answered.reading, urdf, convertTo }
}

/** The entry with the suffix `.xml`. */
function convertedPath(entry: string): string {
  return entry.replace(/\.[^./]*$/, '').concat('.xml')
}

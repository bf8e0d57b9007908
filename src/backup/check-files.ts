/** Whether a backup is whole: every file that it lists is there and has its digest. */
import { createHash } from 'node:crypto'
import pMap from 'p-map'
import type { Steps } from './dump-database.ts'
import {
  BackupError,
  MANIFEST,
  type Manifest,
  OBJECT_LIST,
  type ObjectLine,
  parseManifest,
  parseObjectLine,
  parseSums,
  partFileOf,
  QUEUE,
  SECRET,
  SUMS,
  tableFile,
} from './manifest.ts'
import { type BackupSource, type FoundFile, linesOf, textOf } from './source.ts'

export interface CheckedBackup {
  readonly manifest: Manifest
  /** What is wrong, by file; empty if nothing is. At most 20 of each kind. */
  readonly faults: readonly string[]
}

const FAULTS_SHOWN = 20

/** Reads the manifest; a `BackupError` if this is not a backup, or half of one. */
export async function readManifest(source: BackupSource): Promise<{ manifest: Manifest; sums: Map<string, string> }> {
  const sums = await textOf(source, SUMS)
  const text = await textOf(source, MANIFEST)
  if (sums === null || text === null)
    throw new BackupError(`This is not a complete backup of a hub: it has no ${sums === null ? SUMS : MANIFEST}.`)
  return { manifest: parseManifest(text), sums: parseSums(sums) }
}

/** Reads every byte of a backup and compares it with its digests. */
export async function checkFiles(source: BackupSource, steps: Steps): Promise<CheckedBackup> {
  const { manifest, sums } = await readManifest(source)
  const faults: string[] = []
  const expected = [MANIFEST, QUEUE, ...manifest.database.tables.map(({ name }) => tableFile(name))]
  if (manifest.secret.included) expected.push(SECRET)
  if (manifest.objects.mode !== 'none') expected.push(OBJECT_LIST)
  steps.begin('checking the database files')
  let bytes = 0
  // In the order in which they were written.
  const ordered = [...new Set([...sums.keys(), ...expected])]
  for (const [index, name] of ordered.entries()) {
    const digest = sums.get(name)
    const file = await source.find(name)
    if (digest === undefined) faults.push(`${name} has no digest in ${SUMS}.`)
    else if (!file) faults.push(`${name} is missing.`)
    else if ((await digestOf(file, 'sha256')) !== digest)
      faults.push(`${name} is damaged: its digest differs from ${SUMS}.`)
    bytes += file?.sizeBytes ?? 0
    steps.at({ count: index + 1, bytes, of: name })
  }
  if (manifest.objects.mode !== 'none' && faults.length === 0)
    faults.push(...(await checkObjects(source, manifest, steps)))
  return { manifest, faults }
}

const BATCH = 200

async function checkObjects(source: BackupSource, { objects }: Manifest, steps: Steps): Promise<string[]> {
  steps.begin('checking the objects')
  const faults: string[] = []
  let count = 0
  let bytes = 0
  for await (const batch of objectBatches(source, BATCH)) {
    const found = await pMap(batch, (line) => faultOf(source, line, objects.mode), { concurrency: source.concurrency })
    faults.push(...found.filter((fault) => fault !== null).slice(0, FAULTS_SHOWN - faults.length))
    count += batch.length
    bytes += batch.reduce((sum, line) => sum + line.size_bytes, 0)
    steps.at({ count, bytes })
  }
  if (count !== objects.count)
    faults.push(`${OBJECT_LIST} has ${count} objects, and ${MANIFEST} says ${objects.count}.`)
  return faults
}

/** The objects of a backup, some at a time. */
export async function* objectBatches(source: BackupSource, size: number): AsyncGenerator<ObjectLine[]> {
  let batch: ObjectLine[] = []
  for await (const line of linesOf(source, OBJECT_LIST)) {
    batch.push(parseObjectLine(line))
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function faultOf(
  source: BackupSource,
  line: ObjectLine,
  mode: Manifest['objects']['mode'],
): Promise<string | null> {
  if (mode === 'list') return null
  const whole = createHash('sha256')
  let bytes = 0
  for (const [index, part] of line.parts.entries()) {
    const name = partFileOf(line.key, index + 1)
    const file = await source.find(name)
    if (!file) return `${name} is missing.`
    const hash = createHash('md5')
    for await (const chunk of file.read()) {
      hash.update(chunk)
      whole.update(chunk)
    }
    if (file.sizeBytes !== part.size_bytes || hash.digest('hex') !== part.md5)
      return `${name} is damaged: its bytes do not have their digest.`
    bytes += part.size_bytes
  }
  if (bytes !== line.size_bytes) return `${line.key} has ${bytes} bytes, and not ${line.size_bytes}.`
  if (line.sha256 !== null && whole.digest('hex') !== line.sha256)
    return `${line.key} is damaged: its bytes do not have the digest that the hub verified.`
  return null
}

async function digestOf(file: FoundFile, algorithm: 'sha256'): Promise<string> {
  const hash = createHash(algorithm)
  for await (const chunk of file.read()) hash.update(chunk)
  return hash.digest('hex')
}

/** Where the reader and MuJoCo differ about a model: sentences, none when they agree. */
import { isDeepStrictEqual } from 'node:util'
import type { ModelReading } from '../src/reading.ts'
import type { CompiledModel, Judgement } from './oracle/judgement.ts'

/** Where MuJoCo has no verdict there is nothing to differ about. */
export function disagreements(reading: ModelReading, judgement: Judgement): string[] {
  if (judgement.verdict === 'none') return []
  const complaints = [
    ...reading.faults.map(({ kind, message }) => `${kind}: ${message}`),
    ...reading.missing.map(({ path, kind }) => `missing ${kind}: ${path}`),
  ]
  if (judgement.verdict === 'refused') {
    // If it reports that it cannot decide, it may not accept either.
    return complaints.length > 0 || reading.undecided.length > 0
      ? []
      : [`the reader accepts what MuJoCo refuses: ${judgement.error.trim()}`]
  }
  if (complaints.length > 0) return [`the reader refuses what MuJoCo accepts: ${complaints.join('; ')}`]
  return [...new Set([...differences(reading, judgement.compiled)])]
}

function* differences(reading: ModelReading, compiled: CompiledModel): Generator<string> {
  const undecided = new Set(reading.undecided.map(({ about }) => about))
  const parts = [
    ['model', reading.model, compiled.model],
    ['files', reading.files, compiled.files],
    ...(undecided.has('joints') ? [] : [['joints', reading.joints, compiled.joints] as const]),
    ...(undecided.has('base') || undecided.has('joints')
      ? []
      : [['base', reading.base, compiled.base] as const, ['roots', reading.roots, compiled.roots] as const]),
    ...(undecided.has('keyframes') ? [] : [['keyframes', reading.keyframes, compiled.keyframes] as const]),
    // Bodies that depend on a file have names that only the file contains.
    ...(undecided.has('joints') ? [] : Object.entries(compiled.names)).map(
      ([kind, names]) => [kind, reading.names[kind as 'bodies'], names] as const,
    ),
  ] as const
  for (const [part, read, made] of parts) {
    if (!isDeepStrictEqual(read, made)) yield `${part}: read ${JSON.stringify(read)}, MuJoCo ${JSON.stringify(made)}`
  }
  for (const [size, made] of Object.entries(compiled.sizes)) {
    const read = reading.sizes?.[size as 'nq'] ?? null
    if (read !== null && read !== made) yield `${size}: read ${read}, MuJoCo ${made}`
  }
}

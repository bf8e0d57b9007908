/** How many numbers the weights of a stored policy are, from their descriptions. */

import { FormatFault } from '@hub/formats/policy/format-fault'
import { openOnnx } from '@hub/formats/policy/onnx-header'
import { readSafetensorsHeader } from '@hub/formats/policy/safetensors-header'
import { type WindowedFile, windowedFile } from '@hub/formats/policy/windowed-file'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { FILE_BUDGET, HEADER_CONCURRENCY, KEPT_COUNTS, MAX_WEIGHT_FILES } from './limits.ts'
import { type Stored, type StoredFile, storedSource } from './stored-file.ts'

export interface Reading extends Stored {
  /** Aborts when the reading takes too long, or its caller has gone. */
  readonly signal: AbortSignal
  /** Aborts when it takes too long. */
  readonly late: AbortSignal
}

/** The weights of one file. */
interface Weights {
  readonly params: number
  /** Other files that hold some of them. */
  readonly outside: readonly string[]
}

/** Bytes of a digest never change, so neither does what they describe. */
const kept = new LRUCache<string, Weights>({ max: KEPT_COUNTS })

export interface OnnxWeights {
  /** The elements of its initializers, or why there is no count. */
  readonly count: number | string
  /** Files next to it that hold weights; empty where that cannot be read. */
  readonly outside: readonly string[]
}

export interface StoredOnnx {
  readonly metadata: Readonly<Record<string, string>>
  weights(): Promise<OnnxWeights>
}

/** Throws a `FormatFault` if the file is not an ONNX model. */
export async function openStoredOnnx(reading: Reading, file: StoredFile): Promise<StoredOnnx> {
  const model = await withPath(file, openOnnx(inPlaces(reading, file)))
  return {
    metadata: model.outline.metadata,
    async weights() {
      let outside: readonly string[] = []
      const count = await counted(reading, async () => {
        const weights = await known(file, async () => {
          const { params, externalFiles } = await withPath(file, model.graph())
          return { params, outside: externalFiles }
        })
        outside = weights.outside
        return weights.params
      })
      return { count, outside }
    },
  }
}

/**
 * The elements of all safetensors files (or of its one ONNX file) in a checkpoint's `policy/`, or why there is no
 * count.
 */
export async function countCheckpoint(reading: Reading, files: readonly StoredFile[]): Promise<number | string> {
  const weights = files.filter(({ path }) => path.endsWith('.safetensors'))
  const model = files.find(({ path }) => /\.onnx$/i.test(path))
  if (weights.length === 0)
    return model
      ? (await (await openStoredOnnx(reading, model)).weights()).count
      : 'No file of its weights is one whose size can be counted.'
  if (weights.length > MAX_WEIGHT_FILES) return `Its weights are in more than ${MAX_WEIGHT_FILES} files.`
  return await counted(reading, async () => {
    const atOnce = pLimit(HEADER_CONCURRENCY)
    const counts = await Promise.all(weights.map((file) => atOnce(() => elementsOf(reading, file))))
    return counts.reduce((sum, count) => sum + count, 0)
  })
}

async function elementsOf(reading: Reading, file: StoredFile): Promise<number> {
  const { params } = await known(file, async () => {
    const header = await withPath(file, readSafetensorsHeader(inPlaces(reading, file)))
    return { params: header.params, outside: [] }
  })
  return params
}

const inPlaces = (reading: Reading, file: StoredFile): WindowedFile =>
  windowedFile(storedSource(reading, file, reading.signal), FILE_BUDGET)

async function known({ sha256 }: StoredFile, read: () => Promise<Weights>): Promise<Weights> {
  const before = sha256 === null ? undefined : kept.get(sha256)
  if (before !== undefined) return before
  const weights = await read()
  if (sha256 !== null) kept.set(sha256, weights)
  return weights
}

/** A count that is zero, that the file does not allow, or that takes too long is a sentence. */
async function counted({ signal, late }: Reading, count: () => Promise<number>): Promise<number | string> {
  try {
    return (await count()) || 'It has no weights of its own.'
  } catch (error) {
    if (error instanceof FormatFault) return error.message
    if (late.aborted && signal.reason === late.reason) return 'Counting its weights takes too long.'
    throw error
  }
}

async function withPath<T>({ path }: StoredFile, result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    throw error instanceof FormatFault ? new FormatFault(`${path}: ${error.message}`) : error
  }
}

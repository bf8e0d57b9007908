/** Main loop of the reading process: one model at a time; files come from the hub, batched per event loop turn. */
import module from 'node:module'
import type { ModelFiles } from '../model-files.ts'
import type { ModelReading } from '../reading.ts'
import type { Ask, FromReader, ToReader } from './protocol.ts'

type Read = (files: ModelFiles, entry: string) => Promise<ModelReading>
type Answer = Exclude<ToReader, { kind: 'model' }>

/** Serves `read` requests of the parent process until it disconnects. */
export function serveReadings(read: Read): void {
  // Ctrl-C in a terminal reaches the whole group; the hub finishes its work and then ends its readers itself.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.on('disconnect', () => process.exit())
  const waiting = new Map<number, (answer: Answer) => void>()
  process.on('message', (message: ToReader) => {
    if (message.kind === 'model') return void readOne(read, waiting, message.entry)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
}

const say = (message: FromReader) => void process.send?.(message)

async function readOne(read: Read, waiting: Map<number, (answer: Answer) => void>, entry: string): Promise<void> {
  let lastId = 0
  const ask = (kind: Ask['kind'], paths: readonly string[]): Promise<Answer> => {
    lastId += 1
    const id = lastId
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      say({ kind, id, paths })
    })
  }
  const sizeOf = gathered(async (paths) => {
    const answer = await ask('look', paths)
    return answer.kind === 'sizes' ? answer.sizes : []
  })
  const readFile = gathered(async (paths) => {
    const answer = await ask('read', paths)
    return answer.kind === 'files' ? answer.files : []
  })
  say({ kind: 'begin' })
  try {
    const reading = await read({ readFile, sizesOf: (paths) => Promise.all(paths.map(sizeOf)) }, entry)
    say({ kind: 'done', reading })
  } catch (error) {
    const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error))
    say({ kind: 'failed', name, message, stack })
  }
  keepCompiled()
}

let isKept = false

/** For the next process, with what the first reading had compiled: this one may be killed, which would keep nothing. */
function keepCompiled(): void {
  if (!isKept) module.flushCompileCache?.()
  isKept = true
}

/** Batches the paths requested in one event loop turn into one call of `askAll`. */
function gathered<T>(askAll: (paths: readonly string[]) => Promise<readonly (T | null)[]>) {
  let wave: { readonly paths: string[]; readonly answers: Promise<readonly (T | null)[]> } | null = null
  return async (path: string): Promise<T | null> => {
    if (!wave) {
      const paths: string[] = []
      const answers = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        wave = null
        return askAll(paths)
      })
      wave = { paths, answers }
    }
    const place = wave.paths.push(path) - 1
    return (await wave.answers)[place] ?? null
  }
}

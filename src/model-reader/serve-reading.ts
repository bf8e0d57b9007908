/** The thread's side of a reading: files come over the port, those asked for together in one message. */
import type { ModelFiles } from '../mjcf/model-files.ts'
import type { ModelReading } from '../mjcf/reading.ts'
import type { Ask, ReadingTask, Reply } from './protocol.ts'

type Read = (files: ModelFiles, entry: string) => Promise<ModelReading>

/** Does a task with `read`, and lets go of its port. */
export async function serveReading({ entry, port }: ReadingTask, read: Read): Promise<ModelReading> {
  const say = (ask: Ask) => port.postMessage(ask)
  const waiting = new Map<number, (reply: Reply) => void>()
  port.on('message', (reply: Reply) => {
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  })
  let lastId = 0
  const ask = (kind: 'read' | 'sizes', paths: readonly string[]): Promise<Reply> => {
    lastId += 1
    const id = lastId
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      say({ kind, id, paths })
    })
  }
  const sizeOf = gathered(async (paths) => {
    const reply = await ask('sizes', paths)
    return 'sizes' in reply ? reply.sizes : []
  })
  try {
    say({ kind: 'begin' })
    return await read(
      {
        readFile: gathered(async (paths) => {
          const reply = await ask('read', paths)
          return 'files' in reply ? reply.files : []
        }),
        async sizesOf(paths) {
          return Promise.all(paths.map(sizeOf))
        },
      },
      entry,
    )
  } finally {
    port.close()
  }
}

/** One call of `askAll` for the paths that are asked for before the event loop turns. */
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

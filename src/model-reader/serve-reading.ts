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
  try {
    say({ kind: 'begin' })
    return await read(
      {
        readFile: gathered(async (paths) => {
          const reply = await ask('read', paths)
          return 'files' in reply ? reply.files : []
        }),
        async sizesOf(paths) {
          if (paths.length === 0) return []
          const reply = await ask('sizes', paths)
          return 'sizes' in reply ? reply.sizes : []
        },
      },
      entry,
    )
  } finally {
    port.close()
  }
}

/** One call of `readAll` for the paths that are asked for before the event loop turns. */
function gathered(readAll: (paths: readonly string[]) => Promise<readonly (Uint8Array | null)[]>) {
  let wave: { readonly paths: string[]; readonly files: Promise<readonly (Uint8Array | null)[]> } | null = null
  return async (path: string): Promise<Uint8Array | null> => {
    if (!wave) {
      const paths: string[] = []
      const files = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        wave = null
        return readAll(paths)
      })
      wave = { paths, files }
    }
    const place = wave.paths.push(path) - 1
    return (await wave.files)[place] ?? null
  }
}

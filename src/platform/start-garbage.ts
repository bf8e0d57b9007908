/** What a start leaves in memory: the texts of modules, syntax trees, and the parts that the schema was made of. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Most first requests of a new process have been answered by then: a collection stops it for about 0.1 s. */
const DELAY_MS = 2_000

/**
 * Collects once what the start has left, soon after it. V8 would do so at its first full collection, which an idle hub
 * never reaches, and only after that one does it look for memory to give back. A third of an idle hub's memory.
 */
export function dropStartGarbage(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect: NodeJS.GCFunction = runInNewContext('gc')
    collect()
  }, DELAY_MS).unref()
}

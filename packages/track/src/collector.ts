/** Brings what the sources have to the spool, over and over, whether the hub can be reached or not. */
import { failureLine } from '@hub/client/internal'
import { pause } from './pause.ts'
import type { Source } from './sources/source.ts'

export interface Collector {
  /** Collects a last time, all of it. */
  finish(): Promise<void>
}

/** Collects every `everyMs` until it is finished. A source that fails is said once, and tried again. */
export function startCollector(
  sources: readonly Source[],
  { everyMs, logLine }: { readonly everyMs: number; readonly logLine: (line: string) => void },
): Collector {
  const finished = new AbortController()
  const said = new Set<string>()

  async function collect(isFinal: boolean): Promise<void> {
    for (const source of sources) {
      try {
        await source.poll(isFinal)
      } catch (error) {
        const line = `metrics cannot be collected: ${failureLine(error)}`
        if (!said.has(line)) logLine(line)
        said.add(line)
      }
    }
  }

  async function loop(): Promise<void> {
    while (!finished.signal.aborted) {
      await collect(false)
      await pause(everyMs, finished.signal)
    }
  }

  const looping = loop()
  return {
    async finish() {
      finished.abort()
      await looping
      await collect(true)
    },
  }
}

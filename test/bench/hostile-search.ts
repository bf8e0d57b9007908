/** The dearest accepted operations of a hub with hostile data, for `limits.ts`. */
import type { Documents } from '../../src/http/graphql-documents.ts'
import { beginningsOf } from '../support/hostile-beginnings.ts'
import { makeHostileLab } from '../support/hostile-lab.ts'
import { loopWatch } from '../support/loop-watch.ts'
import { searchDearest, seeded } from '../support/operation-search.ts'
import { benchHub } from './hub-in-process.ts'

const SEED = 20_261_123
const SHOWN = 10

/** Rows of a table, the longest block first: by processor time, which other work of the machine does not change. */
export async function hostileSearch(documents: Documents, seconds: number) {
  const hub = await benchHub()
  try {
    const lab = await makeHostileLab(hub, { copies: 150, files: 100_000, metricLines: 50_000 })
    const watch = loopWatch()
    const rows = new Map<string, object>()
    const measure = async (text: string): Promise<number> => {
      watch.begin()
      const { bytes, cost } = await ask(hub.url, lab.owner.token, text)
      const { longestMs, longestCpuMs, cpuMs } = watch.end()
      rows.set(text, {
        operation: text.replace(/"[a-z]+_[0-9a-z]{26}",?/g, '').slice(0, 90),
        objects: cost?.objects.used,
        values: cost?.values.used,
        'answer KiB': Math.round(bytes / 1024),
        'cpu ms': Math.round(cpuMs),
        'block ms': Math.round(longestMs),
        'block cpu ms': Math.round(longestCpuMs),
      })
      return longestCpuMs
    }
    const untilMs = performance.now() + seconds * 1000
    const { dearest, tried } = await searchDearest({
      documents,
      beginnings: beginningsOf(lab),
      random: seeded(SEED),
      untilMs,
      atLeast: 1,
      keep: 24,
      measure: async (text) => {
        await measure(text)
        // The second time, what is compiled and cached stays out of it.
        return measure(text)
      },
    })
    watch.stop()
    console.log(`${tried} operations in ${seconds} s`)
    return dearest.slice(0, SHOWN).map(({ text }) => rows.get(text))
  } finally {
    await hub.close()
  }
}

interface Answer {
  readonly bytes: number
  /** Null of an operation that was ended. */
  readonly cost: { readonly objects: { readonly used: number }; readonly values: { readonly used: number } } | null
}

/** Of the answer only the end is read: parsing it would block this process too. */
async function ask(url: string, token: string, query: string): Promise<Answer> {
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, extensions: { cost: true } }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const tail = bytes.subarray(-600).toString('utf8')
  const cost = /"extensions":\{"cost":(\{.*\})\}\}$/.exec(tail)?.[1]
  return { bytes: bytes.length, cost: cost ? JSON.parse(cost) : null }
}

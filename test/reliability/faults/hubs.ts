/** Faults of the hubs themselves: killed, or with a clock that is wrong. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Lab } from '../lab/lab.ts'
import { type Fault, OF_HUB_MS } from './fault.ts'

const clock = new URL('../lab/clock.ts', import.meta.url).href
const HOUR_MS = 3_600_000
const clockFileOf = (dataDir: string) => join(dataDir, 'clock')

async function killFirst({ hubs: [hub] }: Lab, ms: number, healed: () => void): Promise<void> {
  await hub?.kill()
  await delay(ms)
  healed()
  await hub?.start()
}

export const hubFaults: readonly Fault[] = [
  { name: 'hub-killed', title: 'the hub killed (SIGKILL) and started again', longestMs: OF_HUB_MS, strike: killFirst },
  {
    name: 'one-of-two-killed',
    title: 'one of two hubs killed (SIGKILL) and started again',
    longestMs: OF_HUB_MS,
    lab: { hubs: 2 },
    strike: killFirst,
  },
  {
    name: 'clock-moved',
    title: "the hub's clock two hours ahead, then two hours behind",
    longestMs: OF_HUB_MS,
    lab: {
      flags: ['--import', clock],
      prepare: (dataDir) => {
        writeFileSync(clockFileOf(dataDir), '0')
        return { HUB_CLOCK_FILE: clockFileOf(dataDir) }
      },
    },
    async strike({ dataDir }, ms, healed) {
      writeFileSync(clockFileOf(dataDir), String(2 * HOUR_MS))
      await delay(ms / 2)
      writeFileSync(clockFileOf(dataDir), String(-2 * HOUR_MS))
      await delay(ms / 2)
      healed()
      writeFileSync(clockFileOf(dataDir), '0')
    },
  },
]

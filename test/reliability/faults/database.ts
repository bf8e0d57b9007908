/** Faults of PostgreSQL, and of the way to it. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Fault, OF_DATABASE_MS } from './fault.ts'

export const databaseFaults: readonly Fault[] = [
  {
    name: 'postgres-stopped',
    title: 'PostgreSQL stopped and started again',
    longestMs: OF_DATABASE_MS,
    async strike({ postgres }, ms, healed) {
      await postgres.stop()
      await delay(ms)
      healed()
      await postgres.start()
    },
  },
  {
    name: 'postgres-paused',
    title: 'PostgreSQL paused: SIGSTOP of all its processes',
    longestMs: OF_DATABASE_MS,
    async strike({ postgres }, ms, healed) {
      const goOn = postgres.pause()
      await delay(ms)
      healed()
      goOn()
    },
  },
  {
    name: 'postgres-cut',
    title: 'PostgreSQL cut: connections that say nothing, then reset ones',
    longestMs: OF_DATABASE_MS,
    lab: { withProxy: true },
    async strike({ proxy }, ms, healed) {
      proxy?.freeze()
      await delay(ms / 2)
      proxy?.sever()
      await delay(ms / 2)
      healed()
      proxy?.thaw()
    },
  },
]

/** How long the event loop of this process was blocked at most, measured by a timer that is due every millisecond. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface LoopWatch {
  begin(): void
  /** Of the time since `begin`. */
  end(): { readonly longestMs: number; readonly cpuMs: number }
  stop(): void
}

export function loopWatch(): LoopWatch {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  let cpu = process.cpuUsage()
  return {
    begin() {
      delays.reset()
      cpu = process.cpuUsage()
    },
    end() {
      const { user, system } = process.cpuUsage(cpu)
      return { longestMs: delays.max / 1e6, cpuMs: (user + system) / 1000 }
    },
    stop: () => void delays.disable(),
  }
}

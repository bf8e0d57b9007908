/**
 * How long the event loop of this process was blocked at most, seen by a timer that is due every millisecond: by the clock, and in processor time of the main
 * thread. On a busy machine the clock also counts what others ran; processor time is the block of an idle one.
 */
export interface LoopWatch {
  begin(): void
  /** Of the time since `begin`. `cpuMs` is that of the whole process, in all. */
  end(): { readonly longestMs: number; readonly longestCpuMs: number; readonly cpuMs: number }
  stop(): void
}

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export function loopWatch(): LoopWatch {
  let cpu = process.cpuUsage()
  let last = { at: performance.now(), usedMs: threadMs() }
  let longest = { ms: 0, cpuMs: 0 }
  const look = () => {
    const now = { at: performance.now(), usedMs: threadMs() }
    longest = { ms: Math.max(longest.ms, now.at - last.at), cpuMs: Math.max(longest.cpuMs, now.usedMs - last.usedMs) }
    last = now
  }
  const timer = setInterval(look, 1).unref()
  return {
    begin() {
      look()
      longest = { ms: 0, cpuMs: 0 }
      cpu = process.cpuUsage()
    },
    end() {
      look()
      const { user, system } = process.cpuUsage(cpu)
      return { longestMs: longest.ms, longestCpuMs: longest.cpuMs, cpuMs: (user + system) / 1000 }
    },
    stop: () => clearInterval(timer),
  }
}

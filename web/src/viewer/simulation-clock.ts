/** How much of a model's time is due, and how fast it really goes. Pure. */

export interface SimulationClock {
  /** Seconds of the model's time to step now; null while an earlier request is not answered. */
  due(elapsedMs: number, speed: number): number | null
  /** A request was answered. `nowMs`: of the browser's clock, `timeS`: of the model's. */
  answered(nowMs: number, timeS: number): void
  /** Model seconds for each second of the clock, over the last second; null before that. */
  pace(): number | null
  restart(): void
}

/** So much is made up for where the browser was late; the rest is lost rather than rushed through. */
const MAX_DUE_S = 0.5

export function simulationClock(): SimulationClock {
  let owedS = 0
  let isAsked = false
  let from: { nowMs: number; timeS: number } | null = null
  let pace: number | null = null
  return {
    due(elapsedMs, speed) {
      owedS = Math.min(owedS + (elapsedMs / 1000) * speed, MAX_DUE_S * Math.max(1, speed))
      if (isAsked || owedS <= 0) return null
      isAsked = true
      const due = owedS
      owedS = 0
      return due
    },
    answered(nowMs, timeS) {
      isAsked = false
      if (from === null || timeS < from.timeS) from = { nowMs, timeS }
      else if (nowMs - from.nowMs >= 1000) {
        pace = (1000 * (timeS - from.timeS)) / (nowMs - from.nowMs)
        from = { nowMs, timeS }
      }
    },
    pace: () => pace,
    restart() {
      owedS = 0
      from = null
      pace = null
    },
  }
}

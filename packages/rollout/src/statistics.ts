/** What many rollouts come to: a rate with its interval, since ten of ten are not a hundred of a hundred. Pure. */
import { wilson } from '@hub/formats/wilson'
import type { Outcome } from './loop/episode.ts'

export interface Summary {
  readonly rollouts: number
  readonly successes: number
  readonly success_rate: number
  /** Wilson's interval of 95 %. */
  readonly interval: readonly [low: number, high: number]
  readonly mean_return: number
  readonly mean_seconds: number
  /** Count of each ending. */
  readonly endings: Readonly<Record<string, number>>
  /** Seeds of those that did not succeed and then of the smallest return, the worst first. */
  readonly worst_seeds: readonly number[]
}

const WORST = 5

/** The worst first: those that did not succeed, then by return; ties by seed. */
const byWorst = (a: Outcome, b: Outcome): number =>
  Number(a.success) - Number(b.success) || a.return - b.return || a.seed - b.seed

/** Holds what belongs to the `count` worst of all outcomes, however many there are. */
export function worstKept<T>(count: number): {
  add(outcome: Outcome, make: () => T): void
  /** The worst first. */
  all(): readonly T[]
} {
  const kept: { readonly outcome: Outcome; readonly value: T }[] = []
  return {
    add(outcome, make) {
      const last = kept.at(-1)
      if (count === 0 || (kept.length === count && last && byWorst(last.outcome, outcome) <= 0)) return
      kept.push({ outcome, value: make() })
      kept.sort((a, b) => byWorst(a.outcome, b.outcome))
      if (kept.length > count) kept.pop()
    },
    all: () => kept.map(({ value }) => value),
  }
}

/** Rate, interval, means and the worst seeds of rollouts. */
export function summaryOf(outcomes: readonly Outcome[]): Summary {
  const count = outcomes.length
  const successes = outcomes.filter(({ success }) => success).length
  const mean = (read: (one: Outcome) => number) =>
    count === 0 ? 0 : outcomes.reduce((sum, one) => sum + read(one), 0) / count
  const endings: Record<string, number> = {}
  for (const { ending } of outcomes) endings[ending] = (endings[ending] ?? 0) + 1
  return {
    rollouts: count,
    successes,
    success_rate: count === 0 ? 0 : successes / count,
    interval: wilson(successes, count),
    mean_return: mean((one) => one.return),
    mean_seconds: mean((one) => one.seconds),
    endings,
    worst_seeds: outcomes
      .toSorted(byWorst)
      .slice(0, WORST)
      .map(({ seed }) => seed),
  }
}

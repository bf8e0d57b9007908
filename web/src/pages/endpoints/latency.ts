/** How fast an endpoint answered in each session: where the marks of the chart stand. Pure. */
import { rounded } from '../../ui/format.ts'

export interface SessionLatency {
  readonly id: string
  readonly openedAt: string
  readonly serviceMsP50: number | null
  readonly serviceMsP95: number | null
  readonly rttMsP50: number | null
  readonly rttMsP95: number | null
}

/** From half of the chunks (p50) to 95 of 100 (p95). */
export interface Span {
  readonly p50: number
  readonly p95: number
}

export interface Mark {
  readonly id: string
  readonly openedAt: string
  readonly service: Span | null
  readonly roundTrip: Span | null
}

const spanOf = (p50: number | null, p95: number | null): Span | null =>
  p50 === null || p95 === null ? null : { p50, p95 }

/** The sessions that reported how long they took, oldest first. */
export function marksOf(sessions: readonly SessionLatency[]): Mark[] {
  return sessions
    .map(({ id, openedAt, serviceMsP50, serviceMsP95, rttMsP50, rttMsP95 }) => ({
      id,
      openedAt,
      service: spanOf(serviceMsP50, serviceMsP95),
      roundTrip: spanOf(rttMsP50, rttMsP95),
    }))
    .filter(({ service, roundTrip }) => service ?? roundTrip)
    .toSorted((a, b) => Date.parse(a.openedAt) - Date.parse(b.openedAt))
}

/** A round number at or above the slowest p95: 1, 2 or 5 of a power of ten. */
export function topOf(marks: readonly Mark[]): number {
  const slowest = Math.max(0, ...marks.flatMap(({ service, roundTrip }) => [service?.p95 ?? 0, roundTrip?.p95 ?? 0]))
  if (slowest === 0) return 1
  const power = 10 ** Math.floor(Math.log10(slowest))
  return ([1, 2, 5, 10].find((step) => step * power >= slowest) ?? 10) * power
}

/** `8.2 / 21 ms`; a dash for what was not reported. */
export function pairText(p50: number | null, p95: number | null): string {
  if (p50 === null && p95 === null) return '–'
  const text = (value: number | null) => (value === null ? '–' : rounded(Number(value.toPrecision(3))))
  return `${text(p50)} / ${text(p95)} ms`
}

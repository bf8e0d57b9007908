/** Work on a long list in slices: between two of them the hub serves others. */
import { turns } from './turns.ts'

/** Yields where it may pause, each time after a few milliseconds of work at most. */
export type Sliced<Result> = Generator<undefined, Result, undefined>

/** Does it in one piece: for short lists, and where nothing may come between. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Waits for a turn before each slice, also the first one. */
export async function inTurns<Result>(
  work: Sliced<Result>,
  next: () => Promise<void> = () => turns.next(),
): Promise<Result> {
  for (;;) {
    await next()
    const step = work.next()
    if (step.done) return step.value
  }
}

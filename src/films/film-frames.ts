/** The frames that a film of an episode can show, as far as the hub knows them when one is asked for. Pure. */
import { z } from 'zod'
import { invalid } from '../platform/errors.ts'

const histogram = z.object({ upper: z.int().min(1), counts: z.array(z.int().min(0)) })

/** Of the report of a check: frames of the longest episode, and episodes by their length. */
type EpisodeLengths = z.output<typeof histogram>

/** Null for a report without them. */
export const readLengths = (json: unknown): EpisodeLengths | null => histogram.safeParse(json).data ?? null

interface KnownFrames {
  /** Of the meta block; null without one. */
  readonly episodeCount: number | null
  readonly totalFrames: number | null
  /** Of the episode itself, by a check of the files as they are now; null without one that read it. */
  readonly ownFrames: number | null
  /** Of a check of the files as they are now; null without one. */
  readonly lengths: EpisodeLengths | null
}

/** 422 for a frame that the episode does not have, or, while its own length is not known, no episode can have. */
export function assertFrame(fullName: string, { episode, frame }: AskedFrame, known: KnownFrames): void {
  if (known.ownFrames !== null) {
    assertOwn(fullName, { episode, frame }, known.ownFrames)
    return
  }
  const last = Math.min(lastByTotals(known), lastByCheck(known))
  if (frame <= last) return
  const detail = `No episode of ${fullName} has a frame ${frame}: ${last} is the last that one can have. Give a frame from 0 to ${last}.`
  throw invalid('validation.value', detail, ['frame'])
}

interface AskedFrame {
  readonly episode: number
  readonly frame: number
}

function assertOwn(fullName: string, { episode, frame }: AskedFrame, frames: number): void {
  if (frame < frames) return
  const has = frames === 0 ? 'it has none.' : `its last one is ${frames - 1}. Give a frame from 0 to ${frames - 1}.`
  throw invalid('validation.value', `Episode ${episode} of ${fullName} has no frame ${frame}: ${has}`, ['frame'])
}

/** Each of the other episodes has a frame too. Totals that say otherwise are wrong, and say nothing. */
function lastByTotals({ episodeCount, totalFrames }: KnownFrames): number {
  if (!episodeCount || totalFrames === null || totalFrames < episodeCount) return Number.POSITIVE_INFINITY
  return totalFrames - episodeCount
}

/** A check that could not read an episode does not have its length. */
function lastByCheck({ episodeCount, lengths }: KnownFrames): number {
  const read = lengths?.counts.reduce((sum, count) => sum + count, 0) ?? 0
  return lengths && episodeCount && read >= episodeCount ? lengths.upper - 1 : Number.POSITIVE_INFINITY
}

/** 422 for a frame after the end of a kept motion, which has one for each time that its policy was asked. */
export function assertKeptFrame(rollout: string, seed: number, frame: number, steps: number): void {
  const last = Math.max(0, steps - 1)
  if (frame <= last) return
  const detail = `The motion of seed ${seed} of ${rollout} has no frame ${frame}: its last one is ${last}. Give a frame from 0 to ${last}.`
  throw invalid('validation.value', detail, ['frame'])
}

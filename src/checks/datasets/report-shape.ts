/** What a worker reports of a data set, as it is sent, stored and shown: the same names in both APIs. */
import { plainText } from '@hub/formats/text-rules'
import { z } from 'zod'
import type { Document } from '../check-parts.ts'

const place = plainText(1024)
const sentence = plainText(4000)
const count = z.int().min(0)
const finite = z.number()

/** Of the episodes of a data set. */
const histogram = { lower: finite, upper: finite, counts: z.array(count).max(1000) }

const finding = z.object({
  code: z.string().regex(/^[a-z0-9_]{1,64}$/, 'must be 1 to 64 lower-case letters, digits and underscores'),
  severity: z.enum(['error', 'warning']),
  episode: count.nullable(),
  frame: count.nullable(),
  joint: place.nullish(),
  place,
  detail: sentence,
})

/** A report of a worker. Its size is judged by the verb. */
export const datasetReport = z.object({
  layout: count.nullable(),
  version: plainText(64).nullable(),
  fps: finite.nullable(),
  episodes: count,
  frames: count,
  errors: count,
  warnings: count,
  findings: z.array(finding).max(10_000),
  counts: z.record(z.string().max(64), count),
  unchecked: z.array(sentence).max(1000),
  omitted: z.array(sentence).max(100),
  summary: z.object({
    lengths: z.object(histogram).nullable(),
    frames: z.array(count.nullable()).max(20_000).nullish(),
    tasks: z.array(z.object({ task: sentence, episodes: count, frames: count })).max(1000),
    joints: z.array(z.object({ place, ...histogram })).max(1000),
  }),
})

/** Stored as it was sent. */
export type DatasetReport = Document

/** Splits the `robot_card.json` of a check into the card and its `needs_you`. Pure. Contract, "Robot checks". */
import { z } from 'zod'
import { invalid } from '../../platform/errors.ts'
import type { CheckNeed, Document } from '../check-shape.ts'

const needs = z
  .array(
    z.strictObject({
      field: z.string().min(1).max(256),
      severity: z.enum(['blocking', 'advice']),
      why: z.string().max(4000),
      names: z.array(z.string().max(1024)).max(1000).default([]),
      suggestion: z.string().max(4000).nullable().default(null),
    }),
  )
  .max(1000)

export interface DraftedCard {
  readonly card: Document
  readonly needsYou: readonly CheckNeed[]
}

/** 422 at `loc` for a malformed `needs_you`; the card itself is judged when it is published. */
export function draftedCard({ needs_you: given, ...card }: Document, loc: readonly (string | number)[]): DraftedCard {
  const read = needs.safeParse(given ?? [])
  if (read.success) return { card, needsYou: read.data }
  const issue = read.error.issues[0]
  throw invalid('validation.value', `robot_card.json: needs_you.${issue?.path.join('.')}: ${issue?.message}`, loc)
}

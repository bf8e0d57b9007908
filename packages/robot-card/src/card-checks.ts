/** Runs all static checks of a card: a failing check does not hide others. Pure. */
import type { ModelReading } from '@hub/mjcf/reading'
import type { Check } from '@hub/mjcf/verdict/check'
import { modelChecks } from '@hub/mjcf/verdict/model-checks'
import type { CardReading } from './read-card.ts'
import { actionCheck, actuationCheck, defaultPoseCheck, jointOrderCheck, partsCheck } from './rules/joint-rules.ts'
import { baseCheck, camerasCheck, endEffectorsCheck, feetCheck, keyframeCheck } from './rules/model-rules.ts'
import { knownModel } from './rules/rule.ts'
import { dofCheck, limitsCheck, rangesCheck, thumbnailsCheck, vocabularyCheck } from './rules/value-rules.ts'

/** The facts from the repo that the checks of a card need. */
export interface RepoEvidence {
  /** Null if the card names no model. */
  readonly reading: ModelReading | null
  /** The card's stills that exist in the repo. */
  readonly stills: ReadonlySet<string>
}

/**
 * The version of the rules. Raise it with every change that gives a card different faults: robot checks store a card's
 * faults with the version that found them, and `publish_blockers` must agree with the response of a publish.
 */
export const CARD_RULES = 1

/** The checks of a card in the order of the documentation: its schema, its model, its interface, the rest. */
export function cardChecks({ readable: card, checks }: CardReading, { reading, stills }: RepoEvidence): Check[] {
  const entry = card.mjcf_path ?? null
  const model = knownModel(card, reading)
  return [
    ...checks,
    ...modelChecks(reading, entry, model.reason),
    jointOrderCheck(card, model),
    baseCheck(card, model),
    defaultPoseCheck(card),
    keyframeCheck(card, model),
    actuationCheck(card),
    actionCheck(card),
    partsCheck(card),
    endEffectorsCheck(card, model),
    feetCheck(card, model),
    camerasCheck(card),
    rangesCheck(card),
    vocabularyCheck(card),
    dofCheck(card, model),
    limitsCheck(card, model),
    thumbnailsCheck(card, stills),
  ]
}

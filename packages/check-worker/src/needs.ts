/** What a person has to add before a draft can be published, beyond what drafting it showed. Pure. */
import type { Check } from '@hub/mjcf/verdict/check'
import { type Need, need } from './request.ts'

/** A model that cannot be read fails the report itself; these codes are of the card. */
const ofCard = /^(card|interface)\./

/** Without a blocking need a draft passes the checks of a card PUT: failing checks become needs. */
export function withRefusals(needs: readonly Need[], statics: readonly Check[]): readonly Need[] {
  if (needs.some(({ severity }) => severity === 'blocking')) return needs
  const failing = statics.filter(({ code, status }) => status === 'fail' && ofCard.test(code))
  const refusals = failing.map(({ code, message, names, hint, loc }) =>
    need('blocking', loc?.join('.') || code, message, { names, ...(hint === null ? {} : { suggestion: hint }) }),
  )
  return [...refusals, ...needs]
}

/** `existing`: what the repo has at `path` now. */
export function conversionNeeds(entry: string, path: string, text: string, existing: string | null): Need[] {
  if (path === entry) {
    const why = `${entry} is a URDF, and the MJCF made of it would take its place.`
    const suggestion = 'Give the URDF the suffix .urdf.'
    return [need('blocking', 'entry', why, { names: [entry], suggestion })]
  }
  if (!/\.urdf$/i.test(entry)) {
    const why = `${entry} is a URDF by its content, and the MJCF made of it is published only beside a file with the suffix .urdf.`
    return [need('blocking', 'entry', why, { names: [entry], suggestion: 'Give the URDF the suffix .urdf.' })]
  }
  if (existing === null || existing === text) return []
  const why = `${path} is in the repo already: publishing replaces it with the MJCF made of ${entry}.`
  return [
    need('advice', 'entry', why, { names: [path], suggestion: `Check ${path} itself if it is the better model.` }),
  ]
}

/** For a model that MuJoCo rejected, or without a verdict. */
export function noCard(entry: string): Need {
  const why = `MuJoCo did not compile ${entry}, so there is nothing to draft a card from.`
  return need('blocking', 'entry', why, { names: [entry], suggestion: 'sim.compiles of the report says why.' })
}

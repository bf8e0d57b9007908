/** Putting and validating a robot card. Spec, "Robot cards". */
import { robotCardPut } from '../../src/cards/card-schema.ts'
import { putRobotCard } from '../../src/cards/put-robot-card.ts'
import { validateRobotCard } from '../../src/cards/validate-robot-card.ts'
import { invalid } from '../../src/platform/errors.ts'
import { type InputFields, repoName } from '../input-field.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { cardArgument } from './card-document.ts'
import { RobotCardType, ValidationReport } from './robot-card.ts'
import { RobotCardInput } from './robot-card-input.ts'

/** The two spellings of a card. The document is checked by the verb, so that validate can report what its schema refuses. */
const eitherCard = (t: InputFields) => ({
  card: t.field({ type: RobotCardInput, description: 'The card, typed.' }),
  document: t.field({
    type: 'JSON',
    extensions: { zod: robotCardPut },
    description: 'The card in the names of `/v1`, in the place of `card`: the content of a `robot_card.json`.',
  }),
})

mutation('putRobotCard', {
  type: RobotCardType,
  payload: { name: 'card', description: 'The card as it is stored.' },
  description:
    'Replaces the card of a robot repo. A card with a failing check is refused with one entry for each, never repaired; 409 on another kind.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The whole card, in one of its two spellings.', (t) => ({ ...repoName(t), ...eitherCard(t) })),
  verb: (ctx, input) => {
    const card = cardArgument(input)
    if (!card) throw invalid('validation.required', 'Give the card, as card or as document.', ['card'])
    return putRobotCard(ctx, { owner: input.owner, repo: input.repo, ...card })
  },
})

mutation('validateRobotCard', {
  type: ValidationReport,
  description:
    'Runs every static check of a card and reports what a put would refuse, with the same codes. Writes nothing; 404 when no card is given and none is stored.',
  scope: 'key:read',
  target: targetRepo,
  input: input('A card in one of its two spellings, or none: then the stored one is validated.', (t) => ({
    ...repoName(t),
    ...eitherCard(t),
  })),
  verb: (ctx, input) => {
    const document = cardArgument(input)?.document
    return validateRobotCard(ctx, { owner: input.owner, repo: input.repo, document })
  },
})

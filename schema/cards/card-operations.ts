/** Putting and validating a robot card. Spec, "Robot cards". */
import { robotCardPut } from '@hub/robot-card/card-schema'
import { putRobotCard } from '../../src/cards/put-robot-card.ts'
import { validateRobotCard } from '../../src/cards/validate-robot-card.ts'
import { invalid } from '../../src/platform/errors.ts'
import { type InputFields, repoName } from '../input-field.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { cardArgument } from './card-document.ts'
import { RobotCardType, ValidationReport } from './robot-card.ts'
import { RobotCardInput } from './robot-card-input.ts'

/** The two forms of a card. The verb checks both, texts too, so that validate can report schema faults. */
const eitherCard = (t: InputFields) => ({
  card: t.field({ type: RobotCardInput, extensions: { anyText: true }, description: 'The card as typed input.' }),
  document: t.field({
    type: 'JSON',
    extensions: { zod: robotCardPut, anyText: true },
    description: 'The card as a JSON document in `/v1` names, instead of `card`: the content of a `robot_card.json`.',
  }),
})

mutation('putRobotCard', {
  type: RobotCardType,
  payload: { name: 'card', description: 'The stored card.' },
  description:
    'Replaces the card of a robot repo. 422 with one entry per failing check; the card is never repaired. 409 ' +
    'for another kind of repo.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo and the whole card, in one of its two forms.', (t) => ({ ...repoName(t), ...eitherCard(t) })),
  verb: (ctx, input) => {
    const card = cardArgument(input)
    if (!card) throw invalid('validation.required', 'Give the card as card or as document.', ['card'])
    return putRobotCard(ctx, { owner: input.owner, repo: input.repo, ...card })
  },
})

mutation('validateRobotCard', {
  type: ValidationReport,
  description:
    'Runs all static checks of a card and reports the faults that putRobotCard would reject, with the same ' +
    'codes. Writes nothing; 404 if no card is given and none is stored.',
  scope: 'key:read',
  target: targetRepo,
  input: input('The repo and a card in one of its two forms; without a card, the stored one is validated.', (t) => ({
    ...repoName(t),
    ...eitherCard(t),
  })),
  verb: (ctx, input) => {
    const document = cardArgument(input)?.document
    return validateRobotCard(ctx, { owner: input.owner, repo: input.repo, document })
  },
})

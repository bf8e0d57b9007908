/** The message of a change: its input in all operations that change files, and what is told of it later. */
import { changeMessageText } from '@hub/formats/text-rules'
import { type InputFields, rule } from '../input-field.ts'

/** The output field `message`. */
export const MESSAGE_TEXT = 'What the author said about the change; null if nothing.'

/** The output field `author`, where readers of the repo may select it too. */
export const AUTHOR_TEXT =
  'The person behind the credential; null for background work, for keys without a person, and if the caller ' +
  'is neither the owner of the repo nor one of its members.'

/** The input field `message`. */
export const messageField = (t: InputFields) => ({
  message: t.string({
    ...rule(changeMessageText),
    description: 'What to remember about the change: at most 500 characters. Anyone who can read the repo can read it.',
  }),
})

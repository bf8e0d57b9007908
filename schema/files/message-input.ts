/** The message of a change, in the inputs of all operations that change the files of a repo. */
import { changeMessageText } from '@hub/formats/text-rules'
import { type InputFields, rule } from '../input-field.ts'

/** The output field `message`. */
export const MESSAGE_TEXT = 'What the author said about the change; null if nothing.'

/** The input field `message`. */
export const messageField = (t: InputFields) => ({
  message: t.string({
    ...rule(changeMessageText),
    description: 'What to remember about the change: at most 500 characters. Whoever may read the repo can read it.',
  }),
})

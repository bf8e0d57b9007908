/** What a new password has to be. */
import { invalid } from '../../platform/errors.ts'

const MIN_CHARACTERS = 12
/** Longer ones are refused, not cut. */
const MAX_CHARACTERS = 256
const MIN_DIFFERENT = 5

/**
 * 422 at `password` for a new password that is too short or too long, has the handle as its main part, or repeats a few
 * characters. Nothing is asked of its kinds of character: length is what a guesser pays for.
 */
export function assertNewPassword(password: string, handle: string): void {
  const refuse = (detail: string) => invalid('validation.value', detail, ['password'])
  const characters = [...password.normalize('NFKC')]
  if (characters.length < MIN_CHARACTERS || characters.length > MAX_CHARACTERS)
    throw refuse(`A password has ${MIN_CHARACTERS} to ${MAX_CHARACTERS} characters.`)
  if (new Set(characters).size < MIN_DIFFERENT)
    throw refuse(`A password has at least ${MIN_DIFFERENT} different characters.`)
  const rest = password.toLowerCase().replaceAll(handle, '')
  if (handle.length > 2 && rest.length < MIN_CHARACTERS / 2)
    throw refuse('A password is more than your handle: add other words to it.')
}

/** Reads an account that a statement made JSON of. */
import type { AccountRef } from '../operation/context.ts'
import { objectOf, oneOf, orNull, text } from '../store/read-json.ts'

/** `json_build_object('id', …, 'kind', …, 'handle', …, 'name', …)`. */
export const readAccount = objectOf<AccountRef>({
  id: text,
  kind: oneOf('user', 'org'),
  handle: text,
  name: orNull(text),
})

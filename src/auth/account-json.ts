/** Reads an account that a statement made JSON of. */
import type { AccountRef } from '../operation/context.ts'
import { objectOf, oneOf, orNull, text } from '../store/read-json.ts'

/** The account of an id as JSON, for `readAccount`; null for none. */
export const accountJsonSql = (id: string) =>
  `(select json_build_object('id', p.id, 'kind', p.kind, 'handle', p.handle, 'name', p.name) from accounts p where p.id = ${id})`

/** `json_build_object('id', …, 'kind', …, 'handle', …, 'name', …)`. */
export const readAccount = objectOf<AccountRef>({
  id: text,
  kind: oneOf('user', 'org'),
  handle: text,
  name: orNull(text),
})

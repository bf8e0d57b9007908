/** Node ids are the TypeIDs themselves: the prefix says the type, so both dialects show the same id. */
import { HubError } from '../src/errors.ts'

const typeByPrefix: Readonly<Record<string, string>> = {
  __proto__: null as never,
  repo: 'Repo',
  user: 'Account',
  org: 'Account',
  key: 'ApiKey',
}

/** The id as stored. */
export function encodeNodeId(_typename: string, id: string | number | bigint): string {
  return String(id)
}

/** The type that an id's prefix names; 422 for an id of no node type. */
export function decodeNodeId(globalId: string): { typename: string; id: string } {
  const typename = typeByPrefix[globalId.slice(0, globalId.indexOf('_'))]
  if (!typename) throw new HubError('validation.value', `"${globalId.slice(0, 40)}" is not the id of a node.`)
  return { typename, id: globalId }
}

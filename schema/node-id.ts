/** Node ids are the TypeIDs themselves: the prefix says the type, so both dialects show the same id. */
const typeByPrefix: Readonly<Record<string, string>> = {
  __proto__: null as never,
  repo: 'Repo',
  run: 'Run',
  check: 'RobotCheck',
  spend: 'SpendHold',
  ep: 'Endpoint',
  user: 'Account',
  org: 'Account',
  dev: 'Device',
  appr: 'Approval',
  esess: 'EndpointSession',
}

/** The id as stored. */
export function encodeNodeId(_typename: string, id: string | number | bigint): string {
  return String(id)
}

/** The node type for an id's prefix. An id of any other type is looked up as a repo, so it resolves to null. */
export function decodeNodeId(globalId: string): { typename: string; id: string } {
  return { typename: typeByPrefix[globalId.slice(0, globalId.indexOf('_'))] ?? 'Repo', id: globalId }
}

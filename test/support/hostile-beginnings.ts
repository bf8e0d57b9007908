/** Root fields by which an operation reaches the data of the hostile lab. */
import type { HostileLab } from './hostile-lab.ts'
import type { Beginning } from './operation-search.ts'

/** Those of queries. */
export function beginningsOf({ robot, dataset, run, check, owner, ids }: HostileLab): Beginning[] {
  const named = (name: string) => `owner: "${name.split('/')[0]}", slug: "${name.split('/')[1]}"`
  const list = (of: readonly string[]) => JSON.stringify(of)
  return [
    'repos',
    'repos(first: 100)',
    'repos(q: "long", first: 100)',
    `repos(owner: "${owner.handle}", kind: ROBOT, first: 100)`,
    `repo(${named(robot)})`,
    `repo(${named(dataset)})`,
    `tree(${named(dataset)}, first: 1000)`,
    `robotCard(${named(robot)})`,
    `account(handle: "${owner.handle}")`,
    'viewer',
    'runs(first: 100)',
    `run(id: "${run}")`,
    'robotChecks(first: 100)',
    `robotCheck(id: "${check}")`,
    `node(id: "${run}")`,
    `nodes(ids: ${list(ids.repos)})`,
    `nodes(ids: ${list(ids.runs.slice(0, 30))})`,
    `nodes(ids: ${list(ids.checks)})`,
  ].map((text) => ({ kind: 'query' as const, text, field: text.split('(')[0] ?? '' }))
}

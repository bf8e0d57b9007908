/** The thread of `builtStatements`: loads the modules that build statements, and has those built of each kind of job or shape of a request. */
import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import type { VisibleRepos, VisibleRuns } from '../../src/auth/policy.ts'
import type { RepoFilter } from '../../src/repos/list-sql.ts'
import { type BuiltStatement as Built, statementBuilt } from '../../src/store/statement.ts'
import { memoized } from '../../src/work/job-kind.ts'
import type { BuiltStatement, DeclaredColumn, DeclaredParam } from './built-statements.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const built: BuiltStatement[] = []
const families: ((of: never) => unknown)[] = []

/** The first caller outside of the modules that build texts. */
function placeIn(stack: string): string {
  const frames = [...stack.matchAll(/file:\/\/[^\s)]+\/(src\/[^\s)]+?):(\d+):\d+/g)]
  const caller = frames.find(([, file = '']) => !/^src\/store\/(?:statement|columns|insert)\.ts$/.test(file))
  return caller ? `${caller[1]}:${caller[2]}` : 'a test'
}

function plain({ statement, columns, params, stack }: Built): BuiltStatement {
  const columnsOf = Object.entries(columns?.set ?? {}).map(
    ([name, { sql, declared }]): DeclaredColumn => ({ name, sql, declared }),
  )
  const paramsOf = (statement.names ?? []).map(
    (name): DeclaredParam => ({ name, declared: params[name]?.declared ?? null }),
  )
  return { at: placeIn(stack), name: statement.name, text: statement.text, columns: columnsOf, params: paramsOf }
}

class Missing extends Error {}

/** A descriptor that lacks what a family asks for is of another kind. */
const strict = (descriptor: object): never =>
  new Proxy(descriptor, {
    get(target, name) {
      if (!(name in target)) throw new Missing(String(name))
      return Reflect.get(target, name)
    },
  }) as never

/** All descriptors of a kind of job as one: their members have different names. */
async function buildForKinds(): Promise<void> {
  const { hostedKinds } = await import('../../src/jobs/hosted-kinds.ts')
  const { runLog } = await import('../../src/runs/log/run-log.ts')
  const { checkLog } = await import('../../src/checks/log/check-log.ts')
  for (const hosted of hostedKinds) {
    const log = [runLog, checkLog].find(({ job }) => job === hosted.job)
    const descriptor = strict({ ...hosted.job, ...hosted, ...log })
    for (const make of families) {
      try {
        make(descriptor)
      } catch (error) {
        if (!(error instanceof Missing)) throw error
      }
    }
  }
}

const nobody = { accountIds: [], repoIds: null, userId: null, credentialId: null }
const member = { ...nobody, accountIds: ['acct_a'], userId: 'acct_a', credentialId: 'key_a' }
const limited = { ...member, repoIds: ['repo_a'] }
const ofJob = { ...nobody, credentialId: 'run_a' }
const viewers: readonly (VisibleRepos & VisibleRuns)[] = [nobody, member, limited, ofJob]

/** Each part of a listing's text alone, and all of them together. */
async function buildListings(): Promise<void> {
  const { repoPageStatement } = await import('../../src/repos/list-sql.ts')
  const { repoPageEnd } = await import('../../src/repos/page-end.ts')
  const { repoFacetStatement } = await import('../../src/repos/facets-sql.ts')
  const { runPageEnd, runPageStatement } = await import('../../src/runs/read/list-sql.ts')
  const { sortedPageStatement } = await import('../../src/runs/read/sorted-sql.ts')
  const repoFilters = {
    q: 'a',
    kind: 'robot',
    ownerId: 'acct_a',
    tag: ['a'],
    visibility: 'public',
    robot: 'a/b',
    interfaceFingerprint: 'a',
  } as const
  const runFilters = {
    status: 'queued',
    executor: 'worker',
    kind: 'cloud',
    ownerId: 'acct_a',
    robot: 'a/b',
    gated: true,
    parentRunId: 'run_a',
    project: 'a',
    group: 'a',
    template: 'a',
    tag: ['a'],
    q: 'a',
  } as const
  for (const viewer of viewers) {
    for (const filter of [...shapesOf(repoFilters), { visibility: 'private' as const }]) {
      for (const sort of ['created', 'updated'] as const)
        for (const after of [null, sort === 'created' ? ['repo_a'] : ['2026-01-01T00:00:00Z', 'repo_a']]) {
          for (const cards of [false, true]) repoPageStatement(viewer, { filter, sort, after, limit: 1, cards })
          repoPageStatement(viewer, { filter, sort, after, limit: 1, cards: false, isPlain: true })
          if ('q' in filter) repoPageStatement(viewer, { filter, sort, after, until: after, limit: 1, cards: false })
          repoPageEnd(viewer, { filter, sort, after })
        }
      repoFacetStatement(viewer, filter as RepoFilter)
    }
    for (const filter of [...shapesOf(runFilters), { gated: false }])
      for (const after of [null, 'run_a']) {
        runPageStatement(viewer, { filter, after, limit: 1 })
        if ('q' in filter) runPageStatement(viewer, { filter, after, until: after, limit: 1 })
        runPageEnd(viewer, { filter, after, limit: 1 })
        const query = { filter, after, limit: 1, metric: 'a', afterValue: after === null ? null : 1 }
        for (const by of ['last', 'min', 'max', 'mean'] as const)
          for (const order of ['asc', 'desc'] as const) sortedPageStatement(viewer, { ...query, by, order })
      }
  }
}

/** No filter, each filter alone, and all together. */
function shapesOf<Filter extends object>(filters: Filter): readonly Partial<Filter>[] {
  const alone = Object.entries(filters).map(([name, value]) => ({ [name]: value }) as Partial<Filter>)
  return [{}, ...alone, filters]
}

statementBuilt.watch((one) => built.push(plain(one)))
memoized.watch(({ make }) => families.push(make))

for await (const file of glob('src/**/*.ts', { cwd: root })) {
  const text = await readFile(`${root}/${file}`, 'utf8')
  if (/store\/(?:statement|columns)\.ts'|from '\.\/statement\.ts'/.test(text)) await import(`${root}/${file}`)
}
await buildForKinds()
await buildListings()
// An endpoint stores no bytes: this one is built here and nowhere else.
parentPort?.postMessage(built.filter(({ name }) => name !== 'endpoint-stored-bytes'))

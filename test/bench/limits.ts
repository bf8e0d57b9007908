/**
 * Two tables. How long it takes to refuse a GraphQL operation that is too large, and to accept one of a dashboard: `npm run bench:limits`. In one process, with the hub's schema,
 * without HTTP: parsing, limits, validation and cost of a document that was never seen before, and of one that was. Median and longest of 200 documents each.
 * Then the dearest operations that a search finds (`SEARCH_S` seconds, 60 by default) among those that are accepted, on data as large as it may be: what each uses, and how
 * long it blocks the event loop at most.
 */
import { schema } from '../../schema/index.ts'
import { countedSchema } from '../../src/http/counted-schema.ts'
import { Documents, PreparedDocument } from '../../src/http/graphql-documents.ts'
import { assertCost } from '../../src/http/graphql-limits.ts'
import { hugeOperations } from '../support/huge-operations.ts'
import { hostileSearch } from './hostile-search.ts'
import { median } from './measure.ts'

const ROUNDS = 200
const documents = new Documents(() => countedSchema(schema))

/** What refuses the document; `accepted` if nothing does. */
function verdictOf(text: string): string {
  const prepared = documents.prepare(text)
  if (!(prepared instanceof PreparedDocument)) return prepared.faults[0]?.message ?? ''
  try {
    assertCost(prepared.costOf(null, {}))
    return 'accepted'
  } catch (error) {
    return (error as Error).message
  }
}

function timed(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

const dashboard = `{ viewer { account { handle
  repos(first: 50, sort: UPDATED) { nodes { id fullName kind visibility updatedAt fileSummary { count totalBytes } latestRun { id status } } pageInfo { hasNextPage endCursor } }
  runs(first: 50) { nodes { id status displayName createdAt spend { accruedUsd } progress { fraction } sparkline { points } } pageInfo { hasNextPage endCursor } }
  checks(first: 20) { nodes { id status kind createdAt } } endpoints(first: 20) { nodes { id status model { fullName } } } spendHolds(first: 20) { nodes { id summary } } } } }`

/** Over HTTP its `Content-Length` refuses it: bodies have at most 1 MiB. */
const large = { what: 'a document of 5 MB', make: () => `{ ${'id '.repeat(1_750_000)}}` }

const operations = [{ what: 'a dashboard of five lists', make: () => dashboard }, ...hugeOperations, large]
const rows = operations.map(({ what, make }) => {
  const text = make()
  // A comment makes it another document.
  const firstMs = Array.from({ length: ROUNDS }, (_, at) => timed(() => verdictOf(`${text}#${at}`)))
  verdictOf(text)
  const againMs = Array.from({ length: ROUNDS }, () => timed(() => verdictOf(text)))
  return {
    operation: what,
    KiB: Number((text.length / 1024).toFixed(1)),
    'first ms': Number(median(firstMs).toFixed(3)),
    'longest ms': Number(Math.max(...firstMs).toFixed(2)),
    'again ms': Number(median(againMs).toFixed(4)),
    verdict: verdictOf(text).slice(0, 70),
  }
})
console.table(rows)

console.table(await hostileSearch(documents, Number(process.env.SEARCH_S ?? 60)))

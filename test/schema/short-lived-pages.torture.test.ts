import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { Connection } from '../../schema/connection.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' | 'major' }) => void

const PAGES = 400
const ROWS = 20
/** Of a row, as V8 lays out a hundred numbers. */
const ROW_BYTES = 800

const oldBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === 'old_space' || name === 'large_object_space')
    .reduce((sum, { space_used_size: used }) => sum + used, 0)

function readPage(): string {
  const nodes = Array.from({ length: ROWS }, (_, at) => ({ id: `row-${at}`, numbers: new Array(100).fill(at + 0.5) }))
  const page = new Connection({ nodes, hasNextPage: true, cursorOf: ({ id }) => id }, false)
  const { startCursor, endCursor } = page.pageInfo
  return `${startCursor} ${endCursor} ${page.edges.map(({ cursor }) => cursor)}`
}

/** Pages between young collections, as requests are. */
function readPages(): void {
  for (let at = 0; at < PAGES; at += 1) {
    readPage()
    if (at % 20 === 19) collect({ type: 'minor' })
  }
}

/** How much becomes old while pages are read. */
function grown(): number {
  collect({ type: 'major' })
  const before = oldBytes()
  readPages()
  collect({ type: 'minor' })
  return oldBytes() - before
}

test('a page that was answered is gone with the next young collection', () => {
  readPages()
  // What other work of this process left young becomes old once; pages that stay do so each time.
  expect(Math.min(grown(), grown(), grown())).toBeLessThan((PAGES * ROWS * ROW_BYTES) / 10)
})

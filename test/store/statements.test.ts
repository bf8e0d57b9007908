import { expect, it } from 'vitest'
import { exactReasons } from '../../src/store/exact-reads.ts'
import { type SourceStatement, sourceStatements } from '../support/statements.ts'

const statements = await sourceStatements()
const reads = statements.filter(({ does }) => does === 'read')
const reasons = Object.keys(exactReasons)
const placeOf = ({ file, firstLine, name }: SourceStatement) => `${file}:${firstLine} ${name}`

/** Two texts under one name: whichever comes second on a connection fails there, and only there. */
it('no two prepared statements share a name', () => {
  const seen = new Map<string, string>()
  const twice: string[] = []
  for (const { name, file } of statements.filter(({ name }) => name !== '')) {
    const before = seen.get(name)
    if (before !== undefined) twice.push(`${name}: ${before} and ${file}`)
    seen.set(name, file)
  }
  expect(seen.size).toBeGreaterThan(150)
  expect(twice).toEqual([])
})

it('each read in exact SQL has a reason why it is not left to Prisma', () => {
  const untold = reads.filter(({ exact }) => exact === null || !reasons.includes(exact)).map(placeOf)
  const advice = `Leave it to Prisma, or name its reason after its name: \`exact: '…'\`, one of ${reasons.join(', ')}.`
  expect(untold, advice).toEqual([])
})

it('no reason is listed for a read that no longer exists', () => {
  const told = statements.filter(({ exact }) => exact !== null)
  expect(told.filter(({ does }) => does !== 'read').map(placeOf), 'It writes or locks: no reason is needed.').toEqual(
    [],
  )
  expect(reasons.filter((reason) => !told.some(({ exact }) => exact === reason))).toEqual([])
})

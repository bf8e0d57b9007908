import { expect, it } from 'vitest'
import { sourceStatements } from '../support/statements.ts'
import { exactReads } from './exact-reads.ts'

const statements = await sourceStatements()
const reads = new Set(statements.filter(({ does }) => does === 'read').map(({ key }) => key))
const listed = Object.values(exactReads).flat()

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
  expect([...reads].filter((key) => !listed.includes(key))).toEqual([])
})

it('no reason is listed for a read that no longer exists', () => {
  expect(listed.filter((key) => !reads.has(key))).toEqual([])
  expect(new Set(listed).size).toBe(listed.length)
})

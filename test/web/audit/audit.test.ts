/** The audit page: filters in its address, words, and the file that it saves. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { auditFile, type Entry, fileName, lineOf } from '../../../web/src/pages/audit/export.ts'
import { filtersIn, searchOf, variablesOf } from '../../../web/src/pages/audit/filters.ts'
import { actions, merged, told } from '../../../web/src/pages/audit/told.ts'

const entry = (given: Partial<Entry> = {}): Entry => ({
  id: 'aud_1',
  at: '2026-11-25T10:00:00.000Z',
  action: 'repo.create',
  actor: { id: 'user_1', handle: 'ada' },
  credentialId: 'sess_1',
  requestId: 'req_1',
  targetId: 'repo_1',
  before: {},
  after: { slug: 'arm' },
  ...given,
})

const piecesOf = async (file: AsyncIterable<string>): Promise<string[]> => {
  const pieces: string[] = []
  for await (const piece of file) pieces.push(piece)
  return pieces
}

describe('the file', () => {
  it('has a line an entry, as CSV and as JSON', () => {
    expect(lineOf.csv(entry())).toBe(
      'aud_1,2026-11-25T10:00:00.000Z,repo.create,ada,repo_1,sess_1,req_1,{},"{""slug"":""arm""}"\r\n',
    )
    expect(JSON.parse(lineOf.jsonl(entry({ actor: null })))).toMatchObject({ actor: null, after: { slug: 'arm' } })
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx'])('has no formula for a spreadsheet: %j', (targetId) => {
    expect(lineOf.csv(entry({ targetId }))).toContain(`,'${targetId},`)
  })

  it('quotes what would end a cell or a line', () => {
    expect(lineOf.csv(entry({ targetId: 'a"b,c\nd' }))).toContain(',"a""b,c\nd",')
  })

  it('is read page by page, one piece each, and names its columns first', async () => {
    const asked: (string | null)[] = []
    const counted: number[] = []
    const pageAfter = async (after: string | null) => {
      asked.push(after)
      return {
        nodes: [entry({ id: `aud_${asked.length}` })],
        pageInfo: { hasNextPage: asked.length < 3, endCursor: `after ${asked.length}` },
      }
    }
    const pieces = await piecesOf(auditFile('csv', pageAfter, (entries) => counted.push(entries)))
    expect(asked).toEqual([null, 'after 1', 'after 2'])
    expect(counted).toEqual([1, 2, 3])
    expect(pieces).toHaveLength(4)
    expect(pieces[0]).toBe('id,at,action,actor,target_id,credential_id,request_id,before,after\r\n')
    expect(await piecesOf(auditFile('jsonl', async () => emptyLog))).toEqual([''])
  })

  it('is none where a page fails', async () => {
    const failing = auditFile('csv', () => Promise.reject(new Error('away')))
    await expect(piecesOf(failing)).rejects.toThrow('away')
  })

  it('is named by account and day', () => {
    expect(fileName('lab', 'csv', new Date('2026-11-25T23:00:00Z'))).toBe('audit-lab-2026-11-25.csv')
  })
})
const emptyLog = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }

describe('the filters', () => {
  it('stand in the address, without those that are empty', () => {
    const given = new URLSearchParams('account=lab&actor=@ada&action=repo.delete&from=2026-11-01&to=nonsense')
    const filters = filtersIn(given, 'ada')
    expect(filters).toEqual({
      account: 'lab',
      action: 'repo.delete',
      actor: 'ada',
      target: '',
      from: '2026-11-01',
      to: '',
    })
    expect(searchOf(filters)).toEqual({ account: 'lab', action: 'repo.delete', actor: 'ada', from: '2026-11-01' })
    expect(filtersIn(new URLSearchParams(), 'ada').account).toBe('ada')
  })

  it('end with the midnight after the last day', () => {
    const day = (to: string) => variablesOf({ ...filtersIn(new URLSearchParams({ from: to, to }), 'ada') })
    const { from, to } = day('2026-11-30')
    expect([from, to]).toEqual([new Date(2026, 10, 30).toISOString(), new Date(2026, 11, 1).toISOString()])
    expect(variablesOf(filtersIn(new URLSearchParams(), 'ada'))).toEqual({
      account: 'ada',
      action: null,
      actor: null,
      targetId: null,
      from: null,
      to: null,
    })
  })
})

describe('the words', () => {
  it('are there for each action that the source writes by its name', () => {
    const root = join(import.meta.dirname, '../../..')
    const written = globSync('src/**/*.ts', { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/action: '([a-z_]+\.[a-z_.]+)'/g)].map(([, name]) => name),
    )
    expect(written.length).toBeGreaterThan(30)
    // The operator's own acts, of no account.
    const ofTheHub = new Set(['signing_key.rotate', 'signing_key.withdraw', 'run.sweep', 'robot_check.sweep'])
    expect([...new Set(written)].filter((name) => name && !ofTheHub.has(name) && !actions.includes(name))).toEqual([])
    expect(Object.values(told).filter((text) => text.trim() === '')).toEqual([])
  })

  it('are one line for entries that follow each other and say the same', () => {
    const push = entry({ action: 'files.complete' })
    const other = entry({ action: 'files.complete', actor: { id: 'user_2', handle: 'bob' } })
    expect(merged([push, push, other, push]).map(({ entry: { actor }, times }) => [actor?.handle, times])).toEqual([
      ['ada', 2],
      ['bob', 1],
      ['ada', 1],
    ])
  })
})

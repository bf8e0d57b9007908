import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { prismaQueries, shapes } from '../support/prisma-queries.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub()
const database = {
  query: <T>({ text }: { text: string }, values?: readonly unknown[]) => hub.sql<T>(text, [...(values ?? [])]),
}
let ada: Person
let runIds: string[]

beforeAll(async () => {
  ada = await hub.person()
  runIds = []
  for (let at = 0; at < 3; at += 1) runIds.push(await putRun(database, { ownerId: ada.id }))
  await hub.sql(
    `insert into run_gate_results (run_id, step, rows, pass_count, cell_count, alive_count, seed_count)
      select run, step, '[{"name": "walk", "status": "PASS", "detail": null}]', 1, 1, 2, 3
      from unnest($1::text[]) run, unnest(array[200, 100]) step`,
    [runIds],
  )
  await hub.sql(
    `insert into run_attempts (run_id, attempt, credential, claimed_by, ended_at, "end")
      select run, n, 'key_secret', 'box ' || n, case n when 1 then now() end, case n when 1 then 'swept'::"RunAttemptEnd" end
      from unnest($1::text[]) run, unnest(array[2, 1]) n`,
    [runIds],
  )
})

async function queries(text: string): Promise<string[]> {
  const sent = await prismaQueries(async () => {
    expect((await hub.graphql(ada, text)).errors).toBeUndefined()
  })
  return shapes(sent)
}

const runs = (fields: string, first = 20) => `{ runs(first: ${first}) { nodes { id ${fields} } } }`

describe.each([
  ['gateResults', 'step passCount', 'run_gate_results: pass_count, run_id, step'],
  ['gateResults', 'cells { status }', 'run_gate_results: run_id, step'],
  ['attempts', 'attempt', 'run_attempts: attempt, run_id'],
  ['attempts', 'claimedBy end', 'run_attempts: attempt, claimed_by, end, run_id'],
])('%s { %s } of runs', (field, fields, query) => {
  it('is one query for any number of runs, with only the selected columns', async () => {
    expect(await queries(runs(`${field} { ${fields} }`))).toEqual([query])
    expect(await queries(runs(`${field} { ${fields} }`, 1))).toEqual([query])
  })
})

describe('a run', () => {
  it('sends no query of Prisma without them', async () => {
    expect(await queries(runs('status owner { handle name } createdBy { handle }'))).toEqual([])
  })

  it('shows its gates by step and its attempts by number, under any alias', async () => {
    const text = runs(
      `gateResults { step aliveCount cells { name status } } steps: gateResults { step }
      attempts { attempt claimedBy claimedAt endedAt end }`,
      3,
    )
    const { nodes } = (await hub.graphql(ada, text)).data.runs
    const time = expect.stringMatching(/Z$/)
    const cells = [{ name: 'walk', status: 'PASS' }]
    expect(nodes.map(({ id }: Json) => id)).toEqual(runIds.toReversed())
    for (const { gateResults, steps, attempts } of nodes) {
      expect(gateResults).toEqual([100, 200].map((step) => ({ step, aliveCount: 2, cells })))
      expect(steps).toEqual([{ step: 100 }, { step: 200 }])
      expect(attempts).toEqual([
        { attempt: 1, claimedBy: 'box 1', claimedAt: time, endedAt: time, end: 'SWEPT' },
        { attempt: 2, claimedBy: 'box 2', claimedAt: time, endedAt: null, end: null },
      ])
    }
  })

  it('hides its holders from callers who cannot see the run', async () => {
    const stranger = await hub.person()
    const text = `{ nodes(ids: ${JSON.stringify(runIds)}) { ... on Run { attempts { claimedBy } gateResults { step } } } }`
    for (const who of [stranger, null])
      expect(await hub.graphql(who, text)).toEqual({ data: { nodes: [null, null, null] } })
  })
})

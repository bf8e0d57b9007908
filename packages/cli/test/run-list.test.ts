/** `hub runs --watch`, of a hub whose list changes. */
import type { HubClient, RemoteRun } from '@hub/client/internal'
import { expect, it } from 'vitest'
import { type ListOptions, showRunList } from '../src/run-list.ts'
import { terminal } from './support/terminal.ts'

const run = (id: string, iteration: number, more: object = {}) => ({
  id: `run_${id.padEnd(26, '0')}`,
  status: 'running',
  display_name: `name ${id}`,
  progress: { iteration, fraction: iteration / 10, eta_s: 100 - iteration },
  sparkline: null,
  sort_value: null,
  latest_metrics: { loss: 1 / iteration },
  ...more,
})
const lists = [
  [run('a', 1), run('b', 1)],
  [run('a', 1, { progress: { iteration: 1, fraction: 0.1, eta_s: 7 } }), run('b', 2)],
  [run('c', 1), run('a', 1), run('b', 2)],
]

/** Reads the lists one after the other; the signal comes in place of one more. */
async function watched(isTTY: boolean, more: Partial<ListOptions> = {}) {
  const { io, signals, written } = terminal(isTTY)
  let count = 0
  const summaries: string[] = []
  const client = {
    runs: {
      async *list() {
        const list = lists[count]
        count += 1
        if (!list) for (const stop of signals) stop()
        yield (list ?? []) as unknown as RemoteRun[]
      },
      summary: async (id: string) => {
        summaries.push(id.slice(4, 5))
        return [{ key: 'loss', last: count, best: 0.5 }]
      },
    },
  } as unknown as HubClient
  const options: ListOptions = { tag: [], by: 'last', limit: 20, watch: true, ...more }
  const code = await showRunList(io, client, options, { least: 1, most: 1 })
  return { code, written, summaries }
}

it('prints each run at first and then what has changed, not what only time has changed', async () => {
  const { code, written } = await watched(false)
  expect([code, written.err]).toEqual([130, ''])
  const lines = written.out.split('\n').map((line) => line.replace(/^run_(.)0+ /, '$1').replaceAll(/ +/g, ' '))
  expect(lines).toEqual([
    'a running 10% name a',
    'b running 10% name b',
    'b running 20% name b',
    'c running 10% name c',
    '',
  ])
})

it('prints the same as lines of JSON, and reads the metrics of a run again when it has reported', async () => {
  const { written, summaries } = await watched(false, { json: true, columns: 'loss,loss:best' })
  const lines = written.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ display_name: name, columns }) => [name, columns.loss])).toEqual([
    ['name a', 1],
    ['name b', 1],
    ['name b', 2],
    ['name c', 3],
  ])
  expect(lines[0]).toMatchObject({ ...lists[0]?.[0], columns: { 'loss:best': 0.5 } })
  expect(summaries).toEqual(['a', 'b', 'b', 'c'])
})

it('draws the table in place, each line within the terminal', async () => {
  const { code, written } = await watched(true, { columns: 'loss' })
  const shown = written.out.split('\x1b[J').at(-1)?.split('\n') ?? []
  expect(code).toBe(130)
  expect(shown[0]).toMatch(/^run +status +…$/)
  expect(shown.slice(1, 4).every((line) => line.startsWith('run_') && line.length <= 40)).toBe(true)
  expect(shown.slice(4)).toEqual(['3 runs', ''])
})

/** The board and the alerts speak of metrics that the hub has. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const deploy = join(root, 'deploy')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
type Json = ReturnType<typeof JSON.parse>

/** The table that is tested against a hub's own `/metrics`, with its labels. */
const documented = new Map(
  [...read('docs/operations.md').matchAll(/^\| `((?:hub|http)_\w+)` \| (.*?) \|/gm)].map(
    ([, name = '', labels = '']) => [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)],
  ),
)
const ofProcess = [
  'nodejs_eventloop_lag_p99_seconds',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'up',
]

const rules: Json[] = (load(read('deploy/prometheus-rules.yaml')) as Json).groups.flatMap((group: Json) => group.rules)
const panels: Json[] = JSON.parse(read('deploy/grafana-board.json')).panels
const expressions: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }: Json): [string, string] => [title, expr])),
]

describe.each(expressions)('%s', (_, expr) => {
  const selectors = [...expr.matchAll(/\b([a-z]\w+)\{([^}]*)\}/g)]

  it('asks for metrics that there are, with labels that they have', () => {
    expect(selectors.length).toBeGreaterThan(0)
    for (const [, name = '', inside = ''] of selectors) {
      const base = name.replace(/_(?:count|sum|bucket)$/, '')
      const labels = documented.get(name) ?? documented.get(base)
      expect([name, labels !== undefined || ofProcess.includes(name)]).toEqual([name, true])
      const asked = [...inside.matchAll(/(\w+)(?:=~?|!~?=?)"/g)].map(([, label]) => label)
      expect(asked.filter((label) => label !== 'job' && !labels?.includes(label ?? ''))).toEqual([])
      expect(asked).toContain('job')
    }
  })

  it('adds no values that are the same on every instance', () => {
    const ofDeployment =
      /\bsum\b[^(]*\((?:increase\(|rate\()?hub_(?:jobs_(?:queued|running)|storage|spend|uploads|hosted|runs_overdue|endpoints?_)/
    expect(expr).not.toMatch(ofDeployment)
  })
})

describe('the alerts', () => {
  it('are about what an operator has to act on', () => {
    const about = [
      'hub_jobs_oldest_queued_seconds',
      'hub_leases_lost_total',
      'http_request_duration_seconds_count',
      'http_request_duration_seconds_bucket',
      'hub_disk_bytes',
      'hub_storage_bytes',
      'hub_spend_holds_oldest_seconds',
      'hub_endpoints_silent',
      'hub_database_pool_connections',
    ]
    const all = rules.map(({ expr }) => expr).join('\n')
    expect(about.filter((name) => !all.includes(name))).toEqual([])
  })

  it('say what is wrong and what to do, to those who are woken or to those who read tickets', () => {
    for (const { alert, labels, annotations } of rules) {
      expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(?:page|ticket)$/)])
      expect(annotations).toEqual({ summary: expect.any(String), description: expect.any(String) })
    }
  })

  const noPromtool = spawnSync('promtool', ['--version']).status !== 0 && 'there is no promtool'
  it('fire when they should, says promtool', needs(noPromtool), () => {
    execFileSync('promtool', ['check', 'rules', 'prometheus-rules.yaml'], { cwd: deploy })
    execFileSync('promtool', ['test', 'rules', 'prometheus-rules.test.yaml'], { cwd: deploy })
  })
})

describe('the board', () => {
  it('shows every metric of the hub', () => {
    const shown = JSON.stringify(panels)
    const hidden = [...documented.keys()].filter((name) => !shown.includes(name))
    // Its alert says all of it.
    expect(hidden).toEqual([
      'hub_spend_holds_oldest_seconds',
      'hub_background_jobs_waiting',
      'hub_state_read_failures_total',
    ])
  })

  it('gives each panel a place of its own', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
    expect(new Set(places).size).toBe(places.length)
  })
})

/** What a stranger may store at most, of each kind, in one account: the data on which the dearest operations are looked for. */
import { CARD_RULES } from '@hub/robot-card/card-checks'
import type { Json, Person } from './hub.ts'

/** What it needs of a hub: of tests or of a bench. */
export interface LabHub {
  call(who: Person, method: string, path: string, body: Json): Promise<{ status: number; text: string; json: Json }>
  sql<T>(text: string, values?: unknown[]): Promise<T[]>
  person(): Promise<Person>
  repo(who: Person, change: Record<string, unknown>): Promise<string>
  upload(who: Person, name: string, files: Readonly<Record<string, string>>): Promise<void>
}

export interface HostileLab {
  readonly owner: Person
  /** Public: a robot with a large card, and a dataset with very many files. */
  readonly robot: string
  readonly dataset: string
  /** With a large config, a parent, metrics, gate results and checkpoints. */
  readonly run: string
  readonly check: string
  /** Ids of each kind, a hundred at most. */
  readonly ids: Readonly<Record<'repos' | 'runs' | 'checks', readonly string[]>>
}

export interface LabSize {
  readonly copies: number
  readonly files: number
  readonly metricLines: number
}

/** Near the limits of a body of 1 MiB: of values, and of text. */
const card = {
  dof: 2,
  actuators: Array.from({ length: 4000 }, (_, at) => ({ name: `motor_${at}`, model: 'm', count: 1, gear: at })),
  description_md: `# ${'a long description '.repeat(10_000)}`,
  validation: {
    engine: 'static',
    checked_at: '2026-01-01T00:00:00.000Z',
    checks: Array.from({ length: 800 }, (_, at) => ({
      code: `check.${at}`,
      status: 'pass',
      message: 'fine',
      names: ['a', 'b', 'c'],
      data: { numbers: [at, at + 0.5, { deep: [at] }] },
    })),
  },
}

const KEYS = 20_000
const config = (value: number) => Array.from({ length: KEYS }, (_, at) => `key_${at}: ${value + (at % 7)}\n`).join('')

/** Makes it through the verbs, and copies rows by SQL. */
export async function makeHostileLab(hub: LabHub, { copies, files, metricLines }: LabSize): Promise<HostileLab> {
  const owner = await hub.person()
  const made = async (path: string, body: Json, status = 201) => {
    const answer = await hub.call(owner, path.startsWith('/v1/robots/') ? 'PUT' : 'POST', path, body)
    if (answer.status !== status) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 2000)}`)
    return answer.json
  }
  const robot = await hub.repo(owner, { kind: 'robot', visibility: 'public', description: 'd'.repeat(4000) })
  await made(`/v1/robots/${robot}/card`, card, 200)
  await hub.upload(owner, robot, { 'scene.xml': '<mujoco/>' })
  const dataset = await hub.repo(owner, { kind: 'dataset', visibility: 'public' })
  await hub.upload(owner, dataset, { 'a/first.bin': 'x' })

  const imported = (value: number, more: Json = {}) =>
    made('/v1/runs/import', { artifacts: { config_yaml: config(value), metrics_summary: 'none' }, ...more })
  const parent = await imported(1)
  const run = await imported(2, { parent_run_id: parent.id, robot })
  const check = await made('/v1/robot-checks', {
    kind: 'robot',
    robot_repo: robot,
    entry: 'scene.xml',
    control_hz: 50,
    action: 'position',
    executor: 'worker',
  })

  const id = (prefix: string) => `'${prefix}_' || lpad(n::text, 26, '0')`
  const many = `generate_series(1, ${copies}) n`
  const copied = (table: string, change: string, where: string) =>
    `insert into ${table} select (jsonb_populate_record(o, jsonb_build_object(${change}))).* from ${table} o, ${many} where ${where}`
  const found = async (text: string): Promise<string> => (await hub.sql<{ id: string }>(text))[0]?.id ?? ''
  const repoIdOf = (name: string) => found(`select id from repos where slug = '${name.split('/')[1]}'`)
  const [robotId, datasetId] = [await repoIdOf(robot), await repoIdOf(dataset)]
  const report = JSON.stringify({ ok: true, grade: 'pass', source: 's', engine: 'e', checks: card.validation.checks })
  for (const text of [
    copied('repos', `'id', ${id('repo')}, 'slug', 'copy-' || n`, `o.id = '${robotId}'`),
    `insert into robot_cards (repo_id, card, card_bytes, interface_fingerprint) select ${id('repo')}, card, card_bytes, interface_fingerprint from robot_cards, ${many} where repo_id = '${robotId}'`,
    `insert into files (repo_id, path, from_seq, blob_id, mime) select '${datasetId}', 'data/' || lpad(n::text, 8, '0'), 1, f.blob_id, 'application/octet-stream'
      from files f, generate_series(1, ${files}) n where f.repo_id = '${datasetId}' and f.path = 'a/first.bin'`,
    // A reward in each line, so that it has a curve.
    `insert into run_metrics (run_id, seq, attempt, step, reward, line) select '${run.id}', n, 1, n, n,
      ('{"step":' || n || ',"reward":' || n || (select string_agg(',"metric_' || k || '":' || n + k, '') from generate_series(1, 20) k) || '}')::json from generate_series(1, ${metricLines}) n`,
    `insert into run_gate_results (run_id, step, rows, pass_count, cell_count, alive_count, seed_count)
      select '${run.id}', n, (select json_agg(json_build_object('name', 'cell ' || c, 'status', 'PASS', 'detail', 'as expected')) from generate_series(1, 1000) c), 1000, 1000, 3, 3 from generate_series(1, 10) n`,
    `update runs set metrics_seq = ${metricLines} where id = '${run.id}'`,
    copied('runs', `'id', ${id('run')}`, `o.id = '${run.id}'`),
    `update robot_checks set report = '${report}'::json, card = (select card from robot_cards where repo_id = '${robotId}'), log_tail = repeat('a line of the log' || chr(10), 3500), card_faults = '{"rules":${CARD_RULES},"sentences":[]}' where id = '${check.id}'`,
    copied('robot_checks', `'id', ${id('check')}, 'status', 'succeeded', 'finished_at', now()`, `o.id = '${check.id}'`),
  ])
    await hub.sql(text)
  for (const table of ['repos', 'robot_cards', 'files', 'runs', 'run_metrics', 'robot_checks'])
    await hub.sql(`analyze ${table}`)

  const idsIn = async (table: string, ownerColumn: string) =>
    (
      await hub.sql<{ id: string }>(`select id from ${table} where ${ownerColumn} = $1 order by id limit 100`, [
        owner.id,
      ])
    ).map((row) => row.id)
  return {
    owner,
    robot,
    dataset,
    run: run.id,
    check: check.id,
    ids: {
      repos: await idsIn('repos', 'owner_id'),
      runs: await idsIn('runs', 'owner_id'),
      checks: await idsIn('robot_checks', 'owner_id'),
    },
  }
}

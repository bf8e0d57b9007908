/** A hub for `npm run bench:pages`: a process of its own over an embedded database, with a person, a robot, a long run that has ended, and one that is in progress. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { openDb } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { freePort } from '../support/free-port.ts'

const run = promisify(execFile)

export interface PagesLab {
  readonly url: string
  /** Of a person's browser. */
  readonly session: string
  readonly repo: string
  readonly robot: string
  /** Ended, with `points` lines of metrics. */
  readonly long: string
  /** Claimed by the lab. */
  readonly live: string
  /** Pushes a folder to a repo of the lab's person. */
  push(folder: string, name: string, kind: 'robot' | 'dataset'): Promise<void>
  /** Sends one report of the live run. */
  report(body: object): Promise<void>
  stop(): Promise<void>
}

const arm = `<mujoco model="arm"><worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 .1"/><body pos="0 0 .1">
  <joint name="shoulder" axis="0 1 0" range="-1 1"/><geom type="capsule" size=".04" fromto="0 0 0 0 0 .4"/></body></worldbody></mujoco>`

/** `points`: metrics lines of the long run, of four metrics. In `reward` one line, two thirds in, is a spike. */
export async function openPagesLab(points: number): Promise<PagesLab> {
  const dir = await mkdtemp(join(tmpdir(), 'hub-bench-pages-'))
  const postgres = await startEmbeddedPostgres({ dataDir: dir, log: pino({ level: 'silent' }) })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    HUB_SECRET: 'bench-secret-bench-secret-bench-secret',
    HUB_DATA_DIR: join(dir, 'hub'),
    HUB_URL: url,
    RATE_LIMIT_PER_MINUTE: '0',
    PORT: String(port),
  }
  const hub = spawn(process.execPath, ['--max-semi-space-size=64', 'src/main.ts'], {
    env,
    stdio: ['ignore', openSync(join(dir, 'hub.log'), 'a'), 'inherit'],
  })
  const stop = async () => {
    await ended(hub)
    await postgres.stop()
    await rm(dir, { recursive: true, force: true })
  }
  try {
    await ready(url)
    const cli = async (args: string, extra: Record<string, string> = {}) =>
      JSON.parse(
        (
          await run(process.execPath, ['src/operator/hub.ts', ...args.split(' '), '--json'], {
            env: { ...env, ...extra },
          })
        ).stdout,
      )
    await cli('user add bench')
    const session = (await cli('session add bench')).token
    const token = { HUB_TOKEN: (await cli('key add bench --scope train')).token as string }
    const call = async (path: string, body: object) => {
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token.HUB_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return answer.json() as Promise<{ id: string }>
    }
    const folder = join(dir, 'files')
    await mkdir(join(folder, 'arm'), { recursive: true })
    await mkdir(join(folder, 'picks'))
    await writeFile(join(folder, 'arm/arm.xml'), arm)
    await writeFile(
      join(folder, 'picks/README.md'),
      `# Picks\n\n${'Recorded on a bench. '.repeat(200)}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`,
    )
    const push = async (from: string, name: string, kind: string) =>
      void (await cli(`push ${from} bench/${name} --kind ${kind}`, token))
    await push(`${folder}/arm`, 'arm', 'robot')
    await push(`${folder}/picks`, 'picks', 'dataset')
    const begun = async () => {
      const { id } = await call('/v1/runs', { recipe: { template: 'act', dataset: ['svc://bench/picks'] } })
      await call(`/v1/runs/${id}/claim`, { worker: 'bench' })
      return id
    }
    const long = await begun()
    await putMetrics(postgres.url, long, points)
    await call(`/v1/runs/${long}/report`, { status: 'succeeded' })
    const live = await begun()
    const report = async (body: object) => void (await call(`/v1/runs/${live}/report`, body))
    return { url, session, repo: 'bench/picks', robot: 'bench/arm', long, live, push, report, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function putMetrics(databaseUrl: string, run: string, points: number): Promise<void> {
  const db = openDb({ url: databaseUrl, poolMax: 1 })
  const text = `insert into run_metrics (run_id, seq, attempt, step, line, at)
    select $1, n, 1, n, json_build_object('step', n, 'loss', round((exp(-n / 50000.0) + random() * .05)::numeric, 6),
      'reward', case when n = $2 * 2 / 3 then 100 else round((n / 20000.0 + random())::numeric, 6) end,
      'lr', 0.0001, 'grad_norm', round((random() * 3)::numeric, 6)), now() + make_interval(secs => n / 20.0)
    from generate_series(1, $2::int) n`
  await db.query({ name: '', text }, [run, points])
  await db.query({ name: '', text: 'update runs set metrics_seq = $2 where id = $1' }, [run, points])
  await db.close()
}

async function ready(url: string): Promise<void> {
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  for (const until = performance.now() + 60_000; performance.now() < until; await delay(100))
    if (await isReady()) return
  throw new Error('The hub did not start.')
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

// @module-tag long
/** `hub track` around real commands: the terminal, exit codes, signals, sources of metrics, and a hub that is away. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHubClient, type HubClient, type RunEvent } from '@hub/client/internal'
import { beforeEach, describe, expect, it } from 'vitest'
import { kill, killableHub } from '../support/killable-hub.ts'

const program = fileURLToPath(new URL('../../src/operator/hub.ts', import.meta.url))
const hub = killableHub()
const { made } = hub
let running: ChildProcess | null = null
const retry = { attempts: 100, baseMs: 50, maxMs: 500, random: Math.random }
const connect = (token: string) => createHubClient({ url: made.url, token, retry })
let client: HubClient

beforeEach(async () => {
  client = connect(made.token)
  running ??= await hub.start()
})

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

const env = (url: string) => ({
  PATH: process.env.PATH ?? '',
  HOME: made.base,
  HUB_URL: url,
  HUB_TOKEN: made.token,
})

interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  readonly err: () => string
}

const start = (args: readonly string[], url = made.url): Started =>
  followed(
    spawn(process.execPath, [program, 'track', ...args], {
      cwd: made.base,
      env: env(url),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )

function followed(started: ChildProcess): Started {
  const child = hub.attend(started)
  let [out, err] = ['', '']
  child.stdout?.on('data', (text) => {
    out += text
  })
  child.stderr?.on('data', (text) => {
    err += text
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, out, err }))
  return { child, ended, err: () => err }
}

const track = (...args: string[]) => start(args).ended
const runIn = (text: string) => /run_[0-9a-z]{26}/.exec(text)?.[0] ?? ''

async function eventsOf(run: string): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of client.runs.follow(run, { follow: false })) events.push(event)
  return events
}
const logOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === 'log' && event.stream === 'stdout' ? [event.line] : []))
const metricsOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === 'metric' ? [event.line] : []))

const folders = () => readdir(join(made.base, '.local/state/hub/track'))

describe('a tracked command', () => {
  it('is a run with its output, its metrics and its exit code', async () => {
    const script = `echo out; echo err >&2; printf '{"step":1,"loss":0.10}\\n{"step":2,"loss":1e-3}' > "$HUB_RUN_DIR/metrics.jsonl"; exit 3`
    const { code, out, err } = await track('--name', 'a name', '--tag', 'x', '--', 'sh', '-c', script)
    expect([code, out]).toEqual([3, 'out\n'])
    const lines = err.trimEnd().split('\n')
    const run = runIn(err)
    expect(lines[0]).toBe(`hub: tracked as ${made.url}/runs/${run}`)
    expect(lines.at(-1)).toBe(`hub: ${made.url}/runs/${run}`)
    expect(lines).toContain('err')
    const found = await client.runs.get(run)
    expect(found).toMatchObject({ status: 'failed', display_name: 'a name', tags: ['x'] })
    expect(found.error).toMatch(/^The command ended with exit code 3: (out|err)$/)
    const events = await eventsOf(run)
    expect(logOf(events).sort()).toEqual(['err', 'out'])
    expect(JSON.stringify(metricsOf(events))).toBe('[{"step":1,"loss":0.10},{"step":2,"loss":1e-3}]')
    expect(await folders()).toEqual([])
  })

  it('has the media, the artifacts, the config and the names that the command writes', async () => {
    const script = `cd "$HUB_RUN_DIR"; mkdir -p media artifacts/net/v0; printf picture > media/a.png
      printf weights > artifacts/net/v0/w.bin
      echo '{"key":"camera","step":1,"kind":"image","path":"media/a.png","caption":"c"}' >> media.jsonl
      echo '{"key":"bins","step":2,"kind":"histogram","value":{"edges":[0,0.10,1],"counts":[1,2]}}' >> media.jsonl
      echo '{"name":"net","type":"model","version":"v0","aliases":["latest"],"path":"artifacts/net/v0"}' >> artifacts.jsonl
      echo '{"name":"of the script","project":"walk","tags":["t"]}' > wandb.json
      echo '{"best":0.50}' > summary.json; echo 'lr: 1' > config.yaml`
    const { code, err } = await track('--name', 'of the person', '--', 'sh', '-c', script)
    expect(code).toBe(0)
    const run = runIn(err)
    const { output_model_repo: output, ...found } = await client.runs.get(run)
    expect(found).toMatchObject({ display_name: 'of the person', project: 'walk', tags: ['t'], status: 'succeeded' })
    const [owner = '', slug = ''] = output?.full_name.split('/') ?? []
    const paths: string[] = []
    for await (const page of client.tree({ owner, slug })) paths.push(...page.map(({ path }) => path))
    expect(paths).toEqual(['artifacts/net/v0.json', 'artifacts/net/v0/w.bin', `runs/${run}/media/a.png`])
    const { items } = await client.v1.listRunMedia({ path: { run_id: run } })
    expect(items.map(({ key, step, path }) => [key, step, path])).toEqual(
      expect.arrayContaining([
        ['camera', 1, `runs/${run}/media/a.png`],
        ['bins', 2, null],
      ]),
    )
    expect(JSON.stringify(metricsOf(await eventsOf(run)))).toBe('[{"summary/best":0.50}]')
    expect(await folders()).toEqual([])
  })

  it('pushes by the settings of Hugging Face with a key of its own, which is dead after it', async () => {
    const push = `const ask = (path, body) => fetch(process.env.HF_ENDPOINT + path, { method: body ? 'POST' : 'GET',
        headers: { authorization: 'Bearer ' + process.env.HF_TOKEN, 'content-type': 'application/json' },
        body: body && JSON.stringify(body) }).then((answer) => answer.status)
      ask('/api/repos/create', { name: 'policy', type: 'model', private: true }).then(async (made) =>
        console.log(made, await ask('/api/whoami-v2'), process.env.HF_HUB_DISABLE_XET, process.env.HF_TOKEN))`
    const { code, out } = await track('--hf', '--', process.execPath, '-e', push)
    const [made, who, xet, key = ''] = out.trim().split(' ')
    expect([code, made, who, xet]).toEqual([0, '200', '200', '1'])
    await expect(connect(key).me()).rejects.toMatchObject({ status: 401 })
  })

  it('ends by the signal that it gets, and passes it on', async () => {
    const { child, ended, err } = start(['--', 'sh', '-c', 'echo begun >&2; sleep 100'])
    await expect.poll(err).toContain('begun')
    child.kill('SIGINT')
    const { signal } = await ended
    expect(signal).toBe('SIGINT')
    expect(await client.runs.get(runIn(err()))).toMatchObject({
      status: 'failed',
      error: 'The command was ended by SIGINT: begun',
    })
  })

  it('is not started where there is no such command', async () => {
    const { code, err } = await track('--', 'no-such-command')
    expect([code, err]).toEqual([127, 'hub: no-such-command: there is no such command.\n'])
  })

  it('is ended by a cancel', async () => {
    const { ended, err } = start(['--', 'sh', '-c', 'echo begun >&2; sleep 100'])
    await expect.poll(err).toContain('begun')
    // A train key may not cancel; its owner may.
    await connect(await hub.signIn()).runs.cancel(runIn(err()))
    const { signal } = await ended
    expect(signal).toBe('SIGTERM')
    expect(await client.runs.get(runIn(err()))).toMatchObject({ status: 'canceled' })
  })

  it('has the rows of a CSV file and the lines of a file of JSON lines, but not those before it', async () => {
    const [csv, lines] = [join(made.base, 'p.csv'), join(made.base, 'p.jsonl')]
    await writeFile(csv, 'step,loss,note\n1,0.50,old\n')
    await writeFile(lines, '{"step":9,"old":1}\n')
    const script = `printf '2,0.250,"a ""b"", c"\\n3,,\\n' >> ${csv}; printf '{"step":10,"new":1.0}\\n' > ${lines}`
    const { err } = await track('--metrics', csv, '--metrics', 'p.jsonl', '--', 'sh', '-c', script)
    const found = metricsOf(await eventsOf(runIn(err))).map((line) => JSON.stringify(line))
    expect(found.sort()).toEqual([
      '{"step":10,"new":1.0}',
      '{"step":2,"loss":0.250,"note":"a \\"b\\", c"}',
      '{"step":3}',
    ])
  })

  it('keeps a terminal, and its log has none of it', async () => {
    const script = `test -t 0 && test -t 1 && test -t 2 && printf 'a terminal\\n\\nred \\033[31mx\\033[0m\\n'; exit 4`
    const line = [process.execPath, program, 'track', '--', 'sh', '-c', script].map(
      (word) => `'${word.replaceAll("'", `'\\''`)}'`,
    )
    // Its input stays open, as a person's does: at the end of it `script` would type a NUL, at any moment.
    const outer = spawn('script', ['-qefc', `${line.join(' ')}; echo "code $?"`, '/dev/null'], {
      cwd: made.base,
      env: { ...env(made.url), SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const { out: shown } = await followed(outer).ended
    expect(shown).toContain('code 4')
    expect(shown).toContain('red \x1b[31mx\x1b[0m')
    expect(logOf(await eventsOf(runIn(shown)))).toEqual(['a terminal', '', 'red \x1b[31mx\x1b[0m'])
  })
})

describe('a hub that is away', () => {
  it('is not waited for by the command; what is left is sent later', async () => {
    if (running) await kill(running)
    await mkdir(join(made.base, 'other'), { recursive: true })
    const script = `for i in 1 2 3; do echo "line $i"; echo "{\\"step\\":$i}" >> "$HUB_RUN_DIR/metrics.jsonl"; done`
    const { code, err } = await track('--wait', '0', '--', 'sh', '-c', script)
    expect(code).toBe(0)
    expect(err).toMatch(/the run begins when the hub answers/)
    expect(err).toMatch(/Send it with: hub track --resume\n$/)
    running = await hub.start()
    const sent = await track('--resume')
    expect(sent.code).toBe(0)
    const run = runIn(sent.err)
    expect(await client.runs.get(run)).toMatchObject({ status: 'succeeded' })
    const events = await eventsOf(run)
    expect(logOf(events)).toEqual(['line 1', 'line 2', 'line 3'])
    expect(metricsOf(events)).toEqual([{ step: 1 }, { step: 2 }, { step: 3 }])
    expect(await folders()).toEqual([])
    expect((await track('--resume')).err).toContain(
      `Nothing is left to send: every tracked run of ${made.url} is there.`,
    )
  })

  it('is named where the hub that is asked is another one', async () => {
    // No hub listens there.
    const elsewhere = 'http://127.0.0.1:9'
    await start(['--wait', '0', '--', 'true'], elsewhere).ended
    const [folder = ''] = await folders()
    const { code, err } = await track('--resume')
    expect(code).toBe(1)
    expect(err).toContain(`Nothing is left to send to ${made.url}. On this machine is also:\n`)
    expect(err).toContain(`${folder} is of ${elsewhere}, not of ${made.url}\n`)
    expect(err).toContain('To send what is of another hub, set HUB_URL to its address.')
    expect((await track('--resume', folder)).err).toContain(`is of ${elsewhere}`)
  })
})

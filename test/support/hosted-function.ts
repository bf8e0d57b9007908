/** A hosted function for checks: a program that does what the `drop.filename` of its check says, step by step, and writes down what it was answered. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFolder } from './open-folder.ts'

/** Steps are separated by spaces: `claim`, `succeed`, `fail`, `exit`; without `exit` it stays until the hub that started it is gone. */
const program = `
import { writeFileSync } from 'node:fs'
const { HUB_URL, HUB_TOKEN, HUB_JOB_ID, HUB_CALL_ID, HUB_JOB_KIND } = process.env
const call = async (method, path, body) => {
  const response = await fetch(HUB_URL + path, { method, headers: { authorization: 'Bearer ' + HUB_TOKEN, 'content-type': 'application/json' },
    body: body && JSON.stringify(body) })
  return { status: response.status, json: await response.json().catch(() => null) }
}
const check = '/v1/robot-checks/' + HUB_JOB_ID
const steps = {
  claim: () => call('POST', check + '/claim', { worker: 'function' }),
  succeed: () => call('POST', check + '/report', { status: 'succeeded', report: { ok: true, grade: 'pass', source: 'stored', engine: 'x', checks: [] } }),
  fail: () => call('POST', check + '/report', { status: 'failed', error: 'broken' }),
  exit: () => process.exit(7),
}
const answers = {}
const { json } = await call('GET', check)
for (const step of (json.drop?.filename ?? '').split(' ')) answers[step] = await steps[step]?.()
const facts = { pid: process.pid, token: HUB_TOKEN, call: HUB_CALL_ID, kind: HUB_JOB_KIND, env: Object.keys(process.env), answers }
writeFileSync(new URL('./' + HUB_CALL_ID + '.json', import.meta.url), JSON.stringify(facts) + '\\n')
// Ends by itself only with the hub of its test, which leaves nobody behind.
setInterval(() => fetch(HUB_URL + '/healthz').catch(() => process.exit()), 1000)
`

export interface FunctionFacts {
  readonly pid: number
  readonly token: string
  readonly call: string
  readonly kind: string
  readonly env: readonly string[]
  readonly answers: ReturnType<typeof JSON.parse>
}

/** The program in a folder of its own: the command that starts it, and what each of its calls wrote. */
export function hostedFunction() {
  const dir = openFolder('hub-check-function-')
  writeFileSync(join(dir, 'function.mjs'), program)
  return {
    command: `exec "${process.execPath}" "${join(dir, 'function.mjs')}"`,
    /** Null until the call has done its steps. */
    factsOf(callId: string | null): FunctionFacts | null {
      const file = join(dir, `${callId}.json`)
      if (callId === null || !existsSync(file)) return null
      const text = readFileSync(file, 'utf8')
      return text.endsWith('\n') ? JSON.parse(text) : null
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** Whether a process is there and not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

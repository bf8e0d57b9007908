/** A hosted function for runs: claims its run, says who it is, and then does what the hyperparameter `how` of its run says. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFolder } from './open-folder.ts'

/**
 * `obeys`: reports until it is asked to stop, then reports `canceled` and exits. `ignores`: reports and never stops. `silent`: never reports. `stays`: never
 * reports, and outlives its hub by some minutes.
 */
export type FunctionManner = 'obeys' | 'ignores' | 'silent' | 'stays'

const program = `
import { renameSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
const { HUB_URL, HUB_TOKEN, HUB_JOB_ID, HUB_CALL_ID } = process.env
const headers = { authorization: 'Bearer ' + HUB_TOKEN, 'content-type': 'application/json' }
const post = async (verb, body) => {
  const answer = await fetch(HUB_URL + '/v1/runs/' + HUB_JOB_ID + '/' + verb, { method: 'POST', headers, body: JSON.stringify(body) })
  return answer.ok ? answer.json() : null
}
const run = await post('claim', { worker: 'function', hosted_call_id: HUB_CALL_ID })
const file = new URL('./' + HUB_JOB_ID, import.meta.url)
writeFileSync(file.pathname + '.part', process.pid + ' ' + HUB_TOKEN)
renameSync(file.pathname + '.part', file.pathname)
const { how } = run?.recipe.hyperparams ?? {}
if (how === 'stays') await delay(300_000)
for (;;) {
  const answer = how === 'silent' ? null : await post('report', {}).catch(() => null)
  if (how === 'obeys' && answer?.cancel_requested_at) {
    await post('report', { status: 'canceled' })
    process.exit()
  }
  // Ends by itself only with the hub of its test, which leaves nobody behind.
  await fetch(HUB_URL + '/healthz').catch(() => process.exit())
  // A test has dozens of silent ones at once, which would ask more often than all else.
  await delay(how === 'silent' ? 1000 : 50)
}
`

/** The program in a folder of its own: the command that starts it, and what it says of a run that it has claimed. */
export function runFunction() {
  const dir = openFolder('hub-run-function-')
  writeFileSync(join(dir, 'function.mjs'), program)
  return {
    command: `exec "${process.execPath}" "${join(dir, 'function.mjs')}"`,
    /** Null until it has claimed the run. */
    factsOf(runId: string): { readonly pid: number; readonly token: string } | null {
      const file = join(dir, runId)
      if (!existsSync(file)) return null
      const [pid = '', token = ''] = readFileSync(file, 'utf8').split(' ')
      return { pid: Number(pid), token }
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** The program that the lab's hubs start for each hosted run: it writes down that it ran, claims its run and reports its end, through whatever fault there is. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const program = `
import { appendFileSync } from 'node:fs'
const { HUB_URL, HUB_TOKEN, HUB_JOB_ID, HUB_CALL_ID } = process.env
const post = async (verb, body) => {
  for (const until = Date.now() + 180_000; Date.now() < until; await new Promise((later) => setTimeout(later, 500))) {
    const answer = await fetch(HUB_URL + '/v1/runs/' + HUB_JOB_ID + '/' + verb, {
      method: 'POST',
      headers: { authorization: 'Bearer ' + HUB_TOKEN, 'content-type': 'application/json', 'idempotency-key': verb },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    }).catch(() => null)
    if (answer !== null && answer.status < 500 && answer.status !== 429) {
      const json = await answer.json().catch(() => null)
      if (!/in_progress|in_flight/.test(json?.type ?? '')) return answer.status
    }
  }
  return 0
}
const claimed = await post('claim', { worker: 'function', hosted_call_id: HUB_CALL_ID })
appendFileSync(new URL('./started', import.meta.url), HUB_JOB_ID + ' ' + HUB_CALL_ID + ' ' + claimed + '\\n')
if (claimed === 200) await post('report', { log_chunk: 'hosted\\n', log_seq: 1, status: 'succeeded' })
`

/** Writes it into `folder`; the command that starts it. */
export function hostedCommand(folder: string): string {
  const file = join(folder, 'function.mjs')
  writeFileSync(file, program)
  return `exec "${process.execPath}" "${file}"`
}

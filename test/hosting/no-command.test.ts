/** `HOSTED_APP_NAME` without a command: what the start, `hub doctor` and a job say. */
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, inject, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { startHub } from '../../src/start-hub.ts'
import { runHub } from '../support/command-line.ts'
import { cloneTemplate } from '../support/database.ts'

const reason = 'HOSTED_COMMAND is not set.'
const told = `Hosted jobs are accepted, and each then fails: ${reason}`

it('is told at the start and by doctor, and each job is accepted and fails with the same reason', async () => {
  const database = await cloneTemplate()
  const settings = {
    PORT: '0',
    DATABASE_URL: database.url,
    HUB_SECRET: 'a secret of more than thirty-two characters',
    OBJECT_STORE: 'none',
    HUB_DATA_DIR: await mkdtemp(join(inject('runDir'), 'no-command-')),
    HOSTED_APP_NAME: 'coach',
    HOSTED_OWNERS: '*',
  }
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const hub = await startHub(readConfig(settings), pino({ level: 'warn' }, stream))
  try {
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([told])
    const doctor = await runHub(['doctor'], settings)
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining(`fail  hosting       ${told}\n`)])
    expect(doctor.out).not.toContain('can read its HUB_SECRET')
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${hub.operatorToken}`, 'content-type': 'application/json' }
      const answer = await fetch(`${hub.url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null })
      return { status: answer.status, json: (await answer.json()) as Record<string, string> }
    }
    const made = await ask('POST', '/v1/runs', { recipe: { template: 'act', executor: 'hosted' } })
    expect([made.status, made.json.status]).toEqual([201, 'queued'])
    const read = async () => (await ask('GET', `/v1/runs/${made.json.id}`)).json
    await expect.poll(async () => (await read()).status, { timeout: 100_000, interval: 50 }).toBe('failed')
    expect((await read()).error).toBe(`The hosted function could not be started: ${reason}`)
  } finally {
    await hub.stop()
    await database.drop()
  }
})

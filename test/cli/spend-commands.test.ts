import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@hub/formats/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerSpendCommands } from '../../packages/cli/src/spend-commands.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let base: string
let ada: Person
let key: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-spend-'))
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train', agent: true, name: 'night\u001b[31m agent' })
})
afterAll(() => rm(base, { recursive: true, force: true }))

const runAs = (token: string, ...args: string[]) =>
  runCommandLine(registerSpendCommands, args, { HUB_URL: hub.running.url, HUB_TOKEN: token, HOME: base })
const run = (...args: string[]) => runAs(ada.token, ...args)
const json = async (...args: string[]): Promise<Json> => JSON.parse((await run(...args, '--json')).out)

/** A hold of a request that needs no hosting. */
async function hold(): Promise<string> {
  const id = newId('spend')
  await hub.sql(
    `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at)
      select $1, 'pending', 'run', k.account_id, k.id, k.name, $2::json, 'Train act.', 1, 1.5, 0, now() + interval '1 day'
      from api_keys k where k.token_sha256 = sha256($3::bytea)`,
    [id, JSON.stringify({ recipe: { template: 'act' } }), key],
  )
  return id
}

describe('hub holds', () => {
  it('lists holds, shows one, and keeps control characters off the terminal', async () => {
    const id = await hold()
    expect(await run('holds')).toMatchObject({
      code: 0,
      out: `${id}  pending      1.5000 USD  ${ada.handle}  Train act.\n1 hold\n`,
    })
    expect((await json('holds', 'list', '--status', 'denied')).holds).toEqual([])
    const shown = await run('holds', 'show', id)
    expect(shown.out).toContain('at most    1.5000 USD\nmonth      0.0000 USD\n')
    expect(shown.out).not.toContain('\u001b')
    expect((await run('holds', 'show', newId('spend'))).code).toBe(4)
  })

  it('approves, denies with a reason, and cancels; a key may only cancel', async () => {
    const [approved, denied, canceled] = [await hold(), await hold(), await hold()]
    expect((await runAs(key, 'holds', 'approve', approved)).code).toBe(3)
    expect(await json('holds', 'approve', approved)).toMatchObject({
      status: 'approved',
      result_id: expect.stringMatching(/^run_/),
    })
    expect((await run('holds', 'approve', approved)).code).toBe(5)
    expect((await run('holds', 'deny', denied)).code).toBe(2)
    expect((await run('holds', 'deny', denied, '--reason', 'not now')).out).toContain(
      `decided by ${ada.handle}\nreason     not now\n`,
    )
    expect((await runAs(key, 'holds', 'cancel', canceled)).out).toContain('status     canceled\n')
  })
})

describe('hub spend', () => {
  it('shows a month, and sets and removes the cap', async () => {
    expect((await run('spend', 'cap', '12.5', '--mode', 'stop')).out).toContain('cap        12.5000 USD (stop)\n')
    expect((await run('spend')).out).toMatch(
      new RegExp(
        `^account +${ada.handle}\\nmonth +20\\d\\d-\\d\\d\\nrecorded +0\\.0000 USD\\nreserved +0\\.0000 USD\\ncap +12\\.5000 USD \\(stop\\)\\nallowance +5\\.0000 USD left of 5\\.0000 USD\\n$`,
      ),
    )
    expect(await json('spend', '--month', '2026-01')).toMatchObject({
      month: '2026-01',
      kinds: [],
      cap: { limit_usd: 12.5 },
    })
    expect((await json('spend', 'cap', 'none')).cap).toBeNull()
    for (const args of [
      ['cap', '5'],
      ['cap', 'much', '--mode', 'stop'],
      ['cap', '5', '--mode', 'maybe'],
    ])
      expect((await run('spend', ...args)).code).toBe(2)
    expect((await runAs(key, 'spend', 'cap', 'none')).code).toBe(3)
  })
})

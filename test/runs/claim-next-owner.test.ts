import { describe, expect, it } from 'vitest'
import { contractHub } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub()

describe('claim-next with an owner', () => {
  it('claims only work of that account, even if another has older work', async () => {
    const ada = await hub.person()
    const lab = await hub.org([{ user: ada.handle, role: 'member' }])
    const { db } = hub.running.deps
    const [account] = await db.query<{ id: string }>({ name: '', text: 'select id from accounts where handle = $1' }, [
      lab,
    ])
    const own = await putRun(db, { ownerId: ada.id })
    const labs = await putRun(db, { ownerId: account?.id ?? '' })
    const claim = (body: object) => hub.call(ada, 'POST', '/v1/runs/claim-next', { worker: 'w', ...body })
    expect((await claim({ owner: lab })).json).toMatchObject({ id: labs, owner: { handle: lab } })
    expect((await claim({ owner: lab })).status).toBe(204)
    expect((await claim({})).json).toMatchObject({ id: own })
  })
  it('gives the same error for an unknown and a foreign account', async () => {
    const ada = await hub.person()
    const other = await hub.person()
    for (const owner of ['nobody-has-this', other.handle]) {
      const answer = await hub.call(ada, 'POST', '/v1/runs/claim-next', { worker: 'w', owner })
      expect([answer.status, answer.json.errors[0].type]).toEqual([403, 'forbidden.scope'])
    }
    expect((await hub.call(ada, 'POST', '/v1/runs/claim-next', { worker: 'w', owner: 'A B' })).status).toBe(422)
  })
})

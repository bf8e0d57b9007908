/** An org with an owner and a member, for the tables of what a repeated request is answered with. */
import { expect } from 'vitest'
import type { Team } from './define-cases.ts'
import type { contractHub, Json, Person, Who } from './hub.ts'

type ContractHub = ReturnType<typeof contractHub>

/** Sends a `POST`, whose answer is no error; its body. */
export async function posted(hub: ContractHub, who: Who, path: string, body?: Json): Promise<Json> {
  const { status, json } = await hub.call(who, 'POST', path, body)
  expect([status < 300, json?.errors]).toEqual([true, undefined])
  return json
}

/** A new org of the boss with one new member. */
export async function newTeam(hub: ContractHub, boss: Person): Promise<Team> {
  const member = await hub.person()
  const org = await hub.org([
    { user: boss.handle, role: 'owner' },
    { user: member.handle, role: 'member' },
  ])
  return {
    hub,
    boss,
    org,
    member,
    key: await hub.key(member, { scope: 'train' }),
    repo: (kind = 'dataset') => hub.repo(boss, { kind, owner: org }),
    post: (who, path, body) => posted(hub, who, path, body),
    async remove(path, who = boss) {
      expect((await hub.call(who, 'DELETE', path)).status).toBe(204)
    },
    async bury(table, { id }) {
      expect(await hub.sql(`delete from ${table} where id = $1 returning id`, [id])).toEqual([{ id }])
    },
  }
}

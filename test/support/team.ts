/** An org with an owner and a member, for the tables of what a repeated request is. */
import { expect } from 'vitest'
import type { Team } from './define-cases.ts'
import type { contractHub, Person } from './hub.ts'

/** A new org of the boss with one new member. */
export async function newTeam(hub: ReturnType<typeof contractHub>, boss: Person): Promise<Team> {
  const member = await hub.person()
  const org = await hub.org([
    { user: boss.handle, role: 'owner' },
    { user: member.handle, role: 'member' },
  ])
  const team: Team = {
    hub,
    boss,
    org,
    member,
    key: await hub.key(member, { scope: 'train' }),
    repo: (kind = 'dataset') => hub.repo(boss, { kind, owner: org }),
    async post(who, path, body) {
      const { status, json } = await hub.call(who, 'POST', path, body)
      expect([status < 300, json?.errors]).toEqual([true, undefined])
      return json
    },
    async remove(path, who = boss) {
      expect((await hub.call(who, 'DELETE', path)).status).toBe(204)
    },
    async bury(table, { id }) {
      expect(await hub.sql(`delete from ${table} where id = $1 returning id`, [id])).toEqual([{ id }])
    },
  }
  return team
}

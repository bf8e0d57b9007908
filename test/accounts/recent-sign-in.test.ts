/** Contract, "Signing in from a browser": what needs a sign-in of the last 15 minutes. */
import { describe, expect, it } from 'vitest'
import { heldWork } from '../spend/support/held-work.ts'
import type { Json, Person } from '../support/hub.ts'
import { types } from '../support/hub.ts'
import { inHours, refusal, sessionWorld } from '../support/sessions.ts'

const lab = heldWork()
const { hub } = lab
const world = sessionWorld(hub)

const signedIn = (ada: Person, ago: string | null) =>
  hub.sql('update sessions set signed_in_at = now() - $2::interval where account_id = $1', [ada.id, ago])

describe('a session whose person signed in more than 15 minutes ago', () => {
  it('approves no hold, may deny it, and approves again after another sign-in', async () => {
    const of = await lab.newTeam()
    const [asked, denied] = [await lab.hold(of), await lab.hold(of)]
    for (const ago of ['15 minutes 1 second', null]) {
      await signedIn(of.owner, ago)
      const refused = await lab.act(of.owner, asked, 'approve')
      expect([refused.status, types(refused)]).toEqual([403, ['forbidden.old_sign_in']])
      expect(refused.json.detail).toMatch(/sign in again at \/login/)
    }
    expect((await lab.act(of.owner, denied, 'deny')).status).toBe(200)
    const { token } = await hub.signIn(of.owner)
    expect((await lab.act(token, asked, 'approve')).status).toBe(200)
  })

  it('approves no device, and sees all it saw', async () => {
    const ada = await hub.person()
    const endpoint = await world.endpoint(ada)
    const device = await world.device(ada)
    await signedIn(ada, '16 minutes')
    expect(refusal(await world.mint(ada, endpoint, device, inHours(1)))).toBe('forbidden.old_sign_in')
    expect((await hub.call(ada, 'GET', `/v1/endpoints/${endpoint}`)).status).toBe(200)
    await signedIn(ada, '14 minutes')
    const { data }: Json = await world.mint(ada, endpoint, device, inHours(1))
    expect(data.approveEndpointSession.token).toEqual(expect.any(String))
  })

  it('is told nothing of what it does not see: a stranger gets 404', async () => {
    const of = await lab.newTeam()
    const eve = await hub.person()
    await signedIn(eve, '16 minutes')
    expect((await lab.act(eve, await lab.hold(of), 'approve')).status).toBe(404)
  })
})

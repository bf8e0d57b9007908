/** Contract, "Passwords": a hub without them. */
import { expect, it } from 'vitest'
import { contractHub } from '../../support/hub.ts'
import { PASSWORD, passwords } from '../../support/passwords.ts'

const hub = contractHub({ LOCAL_SIGN_IN: 'no' })
const { set, signIn } = passwords(hub)

it('a hub whose operator has turned passwords off takes none and sets none, and says so', async () => {
  const ada = await hub.person()
  const refused = '/problems/not_configured.local_sign_in'
  expect((await set(ada, PASSWORD)).errors?.[0]?.extensions.problem.type).toBe(refused)
  const answer = await signIn(ada.handle, PASSWORD)
  expect([answer.status, answer.json.type, answer.headers.getSetCookie()]).toEqual([503, refused, []])
  expect((await hub.graphql(null, '{ signInWays { password } }')).data).toEqual({ signInWays: { password: false } })
})

import { expect, it } from 'vitest'
import { goodCard } from '../../packages/robot-card/test/support/card.ts'
import { contractHub, types } from '../support/hub.ts'

const hub = contractHub({ OBJECT_STORE: 'none' })

it('a card that names a model needs an object store, and one that names none does not', async () => {
  const ada = await hub.person()
  const name = await hub.repo(ada, { kind: 'robot' })
  const refused = [
    await hub.call(ada, 'PUT', `/v1/robots/${name}/card`, goodCard()),
    await hub.call(ada, 'POST', `/v1/robots/${name}/validate`, { card: goodCard() }),
  ]
  expect(refused.map((answer) => [answer.status, types(answer)])).toEqual([
    [503, ['not_configured.object_store']],
    [503, ['not_configured.object_store']],
  ])
  const [owner, repo] = name.split('/')
  const input = { owner, repo, document: goodCard() }
  for (const [verb, fields] of [
    ['putRobotCard', 'card { dof }'],
    ['validateRobotCard', 'ok'],
  ] as const) {
    const type = `${verb[0]?.toUpperCase()}${verb.slice(1)}Input!`
    const answer = await hub.graphql(ada, `mutation ($input: ${type}) { ${verb}(input: $input) { ${fields} } }`, {
      input,
    })
    expect(answer.errors[0].extensions).toMatchObject({
      status: 503,
      problem: { type: '/problems/not_configured.object_store' },
    })
  }
  const card = goodCard({ mjcf_path: null })
  expect((await hub.call(ada, 'PUT', `/v1/robots/${name}/card`, card)).status).toBe(200)
  expect((await hub.call(ada, 'POST', `/v1/robots/${name}/validate`, {})).json).toMatchObject({ ok: true, model: null })
})

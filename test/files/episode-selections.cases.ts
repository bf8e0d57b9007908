import { defineCases, defineSecrets, type Reader } from '../support/define-cases.ts'

/** `meta/info.json` of a data set of eight episodes. */
const info = JSON.stringify({ codebase_version: 'v2.1', fps: 30, total_episodes: 8, total_frames: 80, features: {} })

const pathOf = (repo: string) => `/v1/repos/${repo}/episode-selections`

const filled = async (hub: Reader['hub'], who: Reader['ada'], repo: string) => {
  await hub.upload(who, repo, { 'meta/info.json': info })
  return pathOf(repo)
}

export const cases = defineCases({
  listEpisodeSelections: {
    costs: [
      {
        given: async ({ hub, ada }) => {
          const path = await filled(hub, ada, await hub.repo(ada))
          for (const name of ['a', 'b']) await hub.call(ada, 'POST', path, { name, drop: '3' })
          return [1, 2].map((limit) => `${path}?limit=${limit}`)
        },
        statements: 4,
      },
    ],
  },
  createEpisodeSelection: {
    body: { name: 'clean', drop: '3' },
    access: ({ write }) => (write < 300 ? 409 : write),
    replay: {
      given: async ({ hub, boss, repo }) => ({
        path: await filled(hub, boss, await repo()),
        body: { name: 'clean', drop: '3' },
      }),
      gone: 'A selection stays with its data set.',
      left: 404,
      limited: 404,
    },
  },
})

export const secrets = defineSecrets(async ({ hub, ada, closed, word, post }) => {
  const path = await filled(hub, ada, closed)
  await post(path, { name: 'hidden', drop: '3', note: word('note of a selection') })
  return { beginnings: [] }
})

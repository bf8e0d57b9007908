import { defineCases, defineSecrets, type Reader } from '../support/define-cases.ts'

/** A repo of two labelled episodes. */
const labelled = async ({ hub, ada }: Reader) => {
  const path = `/v1/repos/${await hub.repo(ada)}/episode-labels`
  await hub.call(ada, 'POST', path, { episodes: [1, 2], choice: 'keep' })
  return path
}

export const cases = defineCases({
  listEpisodeLabels: {
    costs: [
      {
        given: async (reader) => {
          const path = await labelled(reader)
          return [1, 2].map((limit) => `${path}?limit=${limit}`)
        },
        statements: 3,
      },
    ],
  },
  listEpisodeLabelHistory: {
    costs: [
      {
        given: async (reader) => {
          const path = await labelled(reader)
          return [1, 2].map((limit) => `${path}/history?limit=${limit}`)
        },
        statements: 3,
      },
    ],
  },
  labelEpisodes: {
    body: { episodes: [0], choice: 'keep' },
    replay: {
      given: async (team) => ({
        path: `/v1/repos/${await team.repo()}/episode-labels`,
        body: { episodes: [0], choice: 'keep' },
      }),
      gone: 'What was said stays in the history.',
      left: 404,
      limited: 404,
    },
  },
  undoEpisodeLabels: {
    body: { labels: ['label_none'] },
    access: ({ write }) => (write === 200 ? 404 : write),
    replay: {
      given: async (team) => {
        const path = `/v1/repos/${await team.repo()}/episode-labels`
        const { labels } = await team.post(team.boss, path, { episodes: [0], choice: 'drop' })
        return { path: `${path}/undo`, body: { labels: [labels[0].id] } }
      },
      gone: 'What was undone stays in the history.',
      left: 404,
      limited: 404,
    },
  },
})

/** Of a data set of one episode: where its file counts none, none can be labelled. */
const info = JSON.stringify({ codebase_version: 'v2.1', fps: 30, total_episodes: 1, total_frames: 1, features: {} })

export const secrets = defineSecrets(async ({ hub, ada, closed, word, post }) => {
  await hub.upload(ada, closed, { 'meta/info.json': info })
  await post(`/v1/repos/${closed}/episode-labels`, { episodes: [0], note: word('label note') })
  return { beginnings: [] }
})

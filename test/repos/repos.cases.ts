import { defineCases } from '../support/define-cases.ts'
import { newName } from '../support/hub.ts'

export const cases = defineCases({
  moveRepo: {
    body: { slug: 'moved-by-a-case' },
    replay: {
      given: async (team) => ({ path: `/v1/repos/${await team.repo()}/move`, body: { slug: `moved-${Date.now()}` } }),
      gone: 'It changes the name of a repo, which it finds by its old name.',
      left: 404,
      limited: 404,
    },
  },
  listRepos: {
    costs: [
      {
        given: async ({ hub, ada }) => {
          for (const kind of ['model', 'robot', 'dataset']) await hub.repo(ada, { kind, tags: ['a'] })
          return [1, 3].map((limit) => `/v1/repos?limit=${limit}`)
        },
        statements: 2,
      },
    ],
  },
  createRepo: {
    body: () => ({ kind: 'model', slug: newName() }),
    replay: {
      given: async ({ org }) => ({ path: '/v1/repos', body: { kind: 'model', slug: newName(), owner: org } }),
      gone: {
        remove: (team, { full_name }) => team.remove(`/v1/repos/${full_name}`),
        retake: ({ post, boss }, _made, { path, body }) => post(boss, path, body),
      },
      left: 403,
      limited: 403,
    },
  },
  getRepo: {
    costs: [{ given: async ({ hub, ada }) => [`/v1/repos/${await hub.repo(ada, { kind: 'robot' })}`], statements: 2 }],
  },
  updateRepo: { body: { description: 'mine now' } },
  deleteRepo: {},
  putModelMeta: { body: { policy_type: 'act' } },
  putDatasetMeta: { body: { episode_count: 1, total_frames: 1 } },
})

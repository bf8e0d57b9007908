import { defineCases, type Reader } from '../support/define-cases.ts'
import { newName } from '../support/hub.ts'

/** A model whose card names these data sets, each by other names too that are of no repo. */
async function madeOf({ hub, ada }: Reader, datasets: readonly string[]): Promise<string> {
  const repo = await hub.repo(ada, { kind: 'model' })
  const names = datasets.map((name, at) => `${name}${at === 0 ? '' : `-${at}`}`)
  await hub.upload(ada, repo, { 'README.md': `---\ndatasets: [${names.join(', ')}]\n---\n# ${newName()}\n` })
  return repo
}

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
  listRepoSources: {
    costs: [
      {
        given: async (reader) => {
          const data = await reader.hub.repo(reader.ada)
          const few = await madeOf(reader, [data])
          const many = await madeOf(reader, [data, data, data])
          return [few, many].map((repo) => `/v1/repos/${repo}/sources`)
        },
        // The credential, the repo, what its card names, the repos that are meant.
        statements: 4,
      },
    ],
  },
  listUsingRepos: {
    costs: [
      {
        given: async (reader) => {
          const data = await reader.hub.repo(reader.ada)
          for (let made = 0; made < 3; made += 1) await madeOf(reader, [data])
          return [1, 3].map((limit) => `/v1/repos/${data}/used-by/repos?limit=${limit}`)
        },
        // The credential, the repo, the page, the headers of its cards.
        statements: 4,
      },
    ],
  },
  updateRepo: { body: { description: 'mine now' } },
  deleteRepo: {},
  putModelMeta: { body: { policy_type: 'act' } },
  putDatasetMeta: { body: { episode_count: 1, total_frames: 1 } },
})

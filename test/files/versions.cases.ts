import { defineCases, defineSecrets, type Reader } from '../support/define-cases.ts'

/** Reads for which one must be able to write: without a scope, so that an invisible repo is 404 first. */
const asWriter = ({ read, write }: { readonly read: number; readonly write: number }) => (read === 404 ? 404 : write)

/** A repo of two states with a snapshot of each, `v1` and `v2`. */
const twoStates = async ({ hub, ada }: Reader) => {
  const repo = await hub.repo(ada)
  for (const name of ['v1', 'v2']) {
    await hub.upload(ada, repo, { [`${name}.txt`]: name, 'same.txt': name })
    await hub.call(ada, 'POST', `/v1/repos/${repo}/snapshots`, { name })
  }
  return `/v1/repos/${repo}`
}

export const cases = defineCases({
  listRepoHistory: {
    access: asWriter,
    costs: [
      {
        given: async (reader) => {
          const repo = await twoStates(reader)
          return [1, 2].map((limit) => `${repo}/history?limit=${limit}`)
        },
        statements: 3,
      },
    ],
  },
  listCommits: {
    costs: [
      {
        given: async (reader) => {
          const repo = await twoStates(reader)
          return [1, 2].map((limit) => `${repo}/commits?limit=${limit}`)
        },
        statements: 3,
      },
    ],
  },
  getFileHistory: {
    query: '?path=same.txt',
    costs: [
      {
        given: async (reader) => {
          const repo = await twoStates(reader)
          return [1, 2].map((limit) => `${repo}/file-history?path=same.txt&limit=${limit}`)
        },
        statements: 3,
      },
    ],
  },
  getRepoEntries: {
    query: '?at=0&path=a',
    access: asWriter,
    costs: [
      {
        given: async (reader) => {
          const repo = await twoStates(reader)
          return ['', '&path=v1.txt&path=nothing'].map((more) => `${repo}/entries?at=v2&path=same.txt${more}`)
        },
        statements: 4,
      },
    ],
  },
  diffRepo: {
    query: '?from=0',
    access: asWriter,
    costs: [
      {
        given: async (reader) => {
          const repo = await twoStates(reader)
          return [1, 3].map((limit) => `${repo}/diff?from=v1&to=v2&limit=${limit}`)
        },
        statements: 6,
      },
    ],
  },
  listSnapshots: {
    costs: [
      {
        given: async (reader) => {
          const repo = await twoStates(reader)
          return [1, 2].map((limit) => `${repo}/snapshots?limit=${limit}`)
        },
        statements: 3,
      },
    ],
  },
  createSnapshot: {
    body: { name: 'v1' },
    replay: {
      given: async (team) => ({ path: `/v1/repos/${await team.repo()}/snapshots`, body: { name: 'v1' } }),
      gone: {
        remove: (team, _made, { path }) => team.remove(`${path}/v1`),
        retake: ({ post, boss }, _made, { path, body }) => post(boss, path, body),
      },
      left: 404,
      limited: 404,
    },
  },
  // The repos of the tables have no snapshot.
  getSnapshot: {
    ids: { name: 'none' },
    access: () => 404,
    costs: [{ given: async (reader) => [`${await twoStates(reader)}/snapshots/v1`], statements: 3 }],
  },
  deleteSnapshot: { ids: { name: 'none' } },
  restoreState: {
    body: { at: '0' },
    replay: {
      given: async (team) => ({ path: `/v1/repos/${await team.repo()}/restore`, body: { at: '0' } }),
      gone: 'It makes a change, which stays in the history.',
      left: 404,
      limited: 404,
    },
  },
})

export const secrets = defineSecrets(async ({ closed, word, post }) => {
  const name = word('snapshot')
  await post(`/v1/repos/${closed}/snapshots`, { name, note: word('note') })
  return { beginnings: [`snapshot(owner: "ORG", slug: "${closed.split('/')[1]}", name: "${name}")`] }
})

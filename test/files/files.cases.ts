import { defineCases, defineSecrets, pathOfRepo, type Reader, type Team } from '../support/define-cases.ts'
import { sha256Of } from '../support/hub.ts'

const upload_id = 'upl_01h455vb4pex5vsknk084sn02q'
const files = [{ path: 'b.txt', size: 1, sha256: sha256Of('b') }]
const file = (path: string) => ({ path, size: 5, sha256: sha256Of('bytes') })

/** A repo of the org with the file `a`. */
const repoWithFile = async (team: Team) => {
  const repo = await team.repo()
  await team.hub.upload(team.boss, repo, { a: 'bytes' })
  return repo
}

/** Of the repo that a path names, the path that deletes files of it. */
const deletingAt = (path: string) => `${pathOfRepo(path)}/files/delete`

/** A repo with six files. */
const sixFiles = async ({ hub, ada }: Reader) => {
  const repo = await hub.repo(ada)
  await hub.upload(ada, repo, Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`f${at}`, `text ${at}`])))
  return repo
}

export const cases = defineCases({
  getRepoTree: {
    costs: [
      {
        given: async (reader) => {
          const repo = await sixFiles(reader)
          return [1, 5].map((limit) => `/v1/repos/${repo}/tree?limit=${limit}`)
        },
        statements: 2,
      },
    ],
  },
  presignUpload: {
    body: { files },
    replay: {
      given: async (team) => ({
        path: `/v1/repos/${await team.repo()}/files/presign-upload`,
        body: { files: [file('a')] },
      }),
      gone: {
        remove: (team, { uploads }, { path }) =>
          team.remove(`${pathOfRepo(path)}/files/uploads/${uploads[0].upload_id}`),
        retake: ({ post, boss }, _made, { path, body }) => post(boss, path, body),
      },
      left: 404,
      limited: 404,
    },
  },
  linkFiles: {
    body: { files },
    replay: {
      given: async (team) => ({
        path: `/v1/repos/${await repoWithFile(team)}/files/link`,
        body: { files: [file('b')] },
      }),
      gone: { remove: ({ post, boss }, _made, { path }) => post(boss, deletingAt(path), { paths: ['b'] }) },
      left: 404,
      limited: 404,
    },
  },
  completeUpload: {
    body: { uploads: [{ path: 'b.txt', upload_id, parts: [{ part_number: 1, etag: 'x' }] }] },
    replay: {
      given: async (team) => {
        const repo = await team.repo()
        const uploads = [await team.hub.sendFile(team.boss, repo, 'a', 'bytes')]
        return { path: `/v1/repos/${repo}/files/complete`, body: { uploads } }
      },
      gone: { remove: ({ post, boss }, _made, { path }) => post(boss, deletingAt(path), { paths: ['a'] }) },
      left: 404,
      limited: 404,
    },
  },
  abortUpload: { ids: { upload_id } },
  // A read with a body.
  presignDownload: {
    body: ({ file }) => ({ paths: [file] }),
    access: ({ read }) => read,
    jobKey: 200,
    replay: {
      given: async (team) => ({
        path: `/v1/repos/${await repoWithFile(team)}/files/presign-download`,
        body: { paths: ['a'] },
      }),
      gone: 'It makes nothing, and is computed again.',
      left: 404,
      limited: 404,
      lowered: 200,
    },
  },
  deleteFiles: {
    body: ({ file }) => ({ paths: [file] }),
    replay: {
      given: async (team) => ({ path: `/v1/repos/${await team.repo()}/files/delete`, body: { paths: ['a'] } }),
      gone: 'It deletes.',
      left: 404,
      limited: 404,
    },
  },
  purgeFiles: {
    body: { paths: ['b.txt'] },
    replay: {
      given: async (team) => ({ path: `/v1/repos/${await team.repo()}/files/purge`, body: { paths: ['a'] } }),
      gone: 'It deletes.',
      left: 404,
      limited: 404,
    },
  },
})

export const secrets = defineSecrets(async ({ hub, ada, closed, word }) => {
  await hub.upload(ada, closed, { [word('path')]: 'a', 'meta/info.json': '{"fps":30}' })
  const [, slug] = closed.split('/')
  return {
    beginnings: [
      `tree(owner: "ORG", slug: "${slug}", first: 2)`,
      `diff(owner: "ORG", slug: "${slug}", from: "0", first: 2)`,
    ],
  }
})

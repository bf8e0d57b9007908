import { defineCases, pathOfRepo } from '../support/define-cases.ts'
import { newName, sha256Of } from '../support/hub.ts'

const blob = { size: 5, sha256: sha256Of('bytes') }
const upload_id = 'upl_01h455vb4pex5vsknk084sn02q'
const contents = [Buffer.from('bytes').toString('base64')]
const add = [{ path: 'a', content: contents[0] }]

const unnamed = 'It makes bytes that have no name, and are sent again where a commit misses them.'

export const cases = defineCases({
  commitFiles: {
    body: { add },
    replay: {
      given: async (team) => ({ path: `/v1/repos/${await team.repo()}/commits`, body: { add } }),
      gone: 'It makes a change, which stays in the history.',
      left: 404,
      limited: 404,
    },
  },
  presignBlobs: {
    body: { blobs: [blob] },
    replay: {
      given: async (team) => ({ path: `/v1/repos/${await team.repo()}/blobs/presign`, body: { blobs: [blob] } }),
      gone: {
        remove: (team, { blobs }, { path }) =>
          team.remove(`${pathOfRepo(path)}/files/uploads/${blobs[0].upload.upload_id}`),
        retake: ({ post, boss }, _made, { path, body }) => post(boss, path, body),
      },
      left: 404,
      limited: 404,
    },
  },
  completeBlobs: {
    body: { uploads: [{ upload_id, parts: [{ part_number: 1, etag: 'x' }] }] },
    replay: {
      given: async (team) => {
        const repo = await team.repo()
        // Of this call alone: bytes that the account has already are not sent again.
        const bytes = newName()
        const blobs = [{ size: bytes.length, sha256: sha256Of(bytes) }]
        const { json } = await team.hub.call(team.boss, 'POST', `/v1/repos/${repo}/blobs/presign`, { blobs })
        const { upload } = json.blobs[0]
        const { headers } = await team.hub.put(upload.parts[0].url, bytes)
        const parts = [{ part_number: 1, etag: headers.get('etag') }]
        return {
          path: `/v1/repos/${repo}/blobs/complete`,
          body: { uploads: [{ upload_id: upload.upload_id, parts }] },
        }
      },
      gone: unnamed,
      left: 404,
      limited: 404,
    },
  },
  storeBlobs: {
    body: { contents },
    replay: {
      given: async (team) => ({ path: `/v1/repos/${await team.repo()}/blobs`, body: { contents } }),
      gone: unnamed,
      left: 404,
      limited: 404,
    },
  },
})

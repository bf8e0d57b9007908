/** `@huggingface/hub`, the client for JavaScript, as it is. */
import { randomBytes } from 'node:crypto'
import {
  checkRepoAccess,
  commit,
  createRepo,
  datasetInfo,
  deleteFile,
  deleteRepo,
  downloadFile,
  fileDownloadInfo,
  fileExists,
  HubApiError,
  listCommits,
  listDatasets,
  listFiles,
  pathsInfo,
  repoExists,
  uploadFile,
  uploadFiles,
  whoAmI,
} from '@huggingface/hub'
import { describe, expect, it } from 'vitest'
import { contractHub, newName, sha256Of } from '../support/hub.ts'

const hub = contractHub()

/** A writer of data sets, and the name of a new one. */
async function writer() {
  const person = await hub.person()
  // It takes no key that does not begin with hf_, which the hub takes off.
  const accessToken = `hf_${await hub.key(person)}`
  const to = { accessToken, hubUrl: hub.running.url }
  const name = `${person.handle}/${newName('Pick_Place').replaceAll('-', '.')}`
  const repo = { type: 'dataset', name } as const
  await createRepo({ ...to, repo })
  return { person, to, repo, name }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('@huggingface/hub', () => {
  it('creates, uploads, lists, reads and deletes', async () => {
    const { person, to, repo, name } = await writer()
    expect(await whoAmI(to)).toMatchObject({ type: 'user', name: person.handle })
    const small = new Blob(['# pick\n'])
    const large = new Blob([new Uint8Array(randomBytes(200_000))])
    const first = await uploadFiles({
      ...to,
      repo,
      commitTitle: 'two files',
      files: [
        { path: 'README.md', content: small },
        { path: 'data/large.bin', content: large },
      ],
    })
    expect(first?.commit.oid).toMatch(/^[0-9a-f]{40}$/)
    await uploadFile({ ...to, repo, file: { path: 'empty', content: new Blob([]) } })
    const files = await all(listFiles({ ...to, repo, recursive: true }))
    expect(files.map(({ path }) => path)).toEqual(['README.md', 'data', 'data/large.bin', 'empty'])
    expect((await pathsInfo({ ...to, repo, paths: ['data/large.bin'] }))[0]?.lfs?.oid).toBe(
      sha256Of(new Uint8Array(await large.arrayBuffer())),
    )
    const read = await downloadFile({ ...to, repo, path: 'data/large.bin' })
    expect(await read?.arrayBuffer()).toEqual(await large.arrayBuffer())
    expect(await fileDownloadInfo({ ...to, repo, path: 'empty' })).toMatchObject({ size: 0 })
    expect(await fileExists({ ...to, repo, path: 'nothing' })).toBe(false)
    const done = await commit({
      ...to,
      repo,
      title: 'one goes, one comes',
      operations: [
        { operation: 'delete', path: 'README.md' },
        { operation: 'addOrUpdate', path: 'new.txt', content: new Blob(['new']) },
      ],
    })
    const commits = await all(listCommits({ ...to, repo }))
    expect(commits.slice(0, 3).map(({ title }) => title)).toEqual(['one goes, one comes', 'Add empty', 'two files'])
    expect(commits[0]?.oid).toBe(done?.commit.oid)
    await deleteFile({ ...to, repo, path: 'new.txt' })
    expect((await all(listFiles({ ...to, repo }))).map(({ path }) => path)).toEqual(['data', 'empty'])
    const listed = await all(listDatasets({ ...to, search: { owner: person.handle } }))
    expect(listed.map((found) => [found.name, found.private])).toEqual([[name, true]])
    // It asks for the state that it calls HEAD.
    const info = await datasetInfo({ ...to, name, additionalFields: ['sha', 'tags'] })
    const [newest] = await all(listCommits({ ...to, repo }))
    expect(info).toMatchObject({ name, private: true, sha: newest?.oid })
    await deleteRepo({ ...to, repo })
    expect(await repoExists({ ...to, repo })).toBe(false)
  })

  it('sends a file of more than one part', async () => {
    const { to, repo } = await writer()
    const piece = randomBytes(1024 * 1024)
    const content = new Blob(Array.from({ length: 101 }, () => new Uint8Array(piece)))
    await uploadFile({ ...to, repo, file: { path: 'large.bin', content }, useXet: false })
    const info = await fileDownloadInfo({ ...to, repo, path: 'large.bin' })
    expect(info?.size).toBe(content.size)
    const end = await downloadFile({ ...to, repo, path: 'large.bin' })
    const bytes = new Uint8Array((await end?.slice(content.size - 10).arrayBuffer()) ?? [])
    expect([...bytes]).toEqual([...piece.subarray(-10)])
  })

  it('gets the error of a commit that comes too late, and nothing of it is there', async () => {
    const { to, repo } = await writer()
    const first = await uploadFile({ ...to, repo, file: { path: 'a', content: new Blob(['a']) } })
    await uploadFile({ ...to, repo, file: { path: 'b', content: new Blob(['b']) } })
    const late = uploadFile({
      ...to,
      repo,
      parentCommit: first?.commit.oid,
      file: { path: 'c', content: new Blob(['c']) },
    })
    const error = await late.catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(HubApiError)
    expect(error).toMatchObject({ statusCode: 412 })
    expect(await fileExists({ ...to, repo, path: 'c' })).toBe(false)
  })

  it('gets 404 for a repo that it may not see', async () => {
    const { repo } = await writer()
    const stranger = { accessToken: `hf_${await hub.key(await hub.person())}`, hubUrl: hub.running.url }
    await expect(checkRepoAccess({ ...stranger, repo })).rejects.toMatchObject({ statusCode: 404 })
  })
})

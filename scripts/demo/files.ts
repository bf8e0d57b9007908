/** The files of the demo: pushed, listed, pulled, counted by the graph and read by a plain address. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type HubClient, pullRepo, pushFolder, type RemoteFile, type RepoName } from '@hub/client/internal'
import { walkFolder } from '@hub/client/walk'
import { countText, sizeText } from 'hub/client-output'
import { check } from './check-that.ts'
import type { ThrowawayHub } from './throwaway-hub.ts'

/** A folder, and the repo that it becomes. */
interface FilesChapter {
  readonly hub: ThrowawayHub
  readonly client: HubClient
  readonly repo: RepoName
  readonly dir: string
  /** The files of the folder. */
  readonly local: Awaited<ReturnType<typeof walkFolder>>
  readonly cacheDir: string
  readonly say: (line: string) => void
}

/** Pushes it, twice. */
export async function pushTwice({ client, repo, dir, local, cacheDir, say }: FilesChapter): Promise<void> {
  const first = await pushFolder(client, repo, dir, { cacheDir, kind: 'robot', visibility: 'public' })
  check(first.failed.length === 0, `Not sent: ${first.failed.map(({ path, why }) => `${path} (${why})`).join(', ')}`)
  check(first.sent.length === local.length, `Sent ${first.sent.length} of ${local.length} files.`)
  say(`  sent ${countText(first.sent.length, 'file')}, ${sizeText(first.sentBytes)}, to ${first.repo}`)
  const again = await pushFolder(client, repo, dir, { cacheDir })
  check(again.sent.length === 0, `A second push sent ${again.sent.length} files again.`)
  say(`  pushed once more: nothing to send, ${countText(again.skipped, 'file')} already there`)
}

/** Lists the files that the hub has of it. */
export async function listed({ client, repo, local, say }: FilesChapter): Promise<RemoteFile[]> {
  const files: RemoteFile[] = []
  for await (const page of client.tree(repo)) files.push(...page)
  check(files.length === local.length, `The tree lists ${files.length} of ${local.length} files.`)
  for (const file of files.slice(0, 12))
    say(`  ${sizeText(file.size).padStart(9)}  ${file.sha256?.slice(0, 12) ?? 'not hashed'}  ${file.path}`)
  if (files.length > 12) say(`  … and ${files.length - 12} more`)
  return files
}

/** Pulls it into an empty folder, which has the same bytes then. */
export async function pulledAgain({ hub, client, repo, local, cacheDir, say }: FilesChapter): Promise<void> {
  const copy = join(hub.dir, 'pulled')
  const pulled = await pullRepo(client, repo, copy, { cacheDir })
  check(
    pulled.failed.length === 0,
    `Not fetched: ${pulled.failed.map(({ path, why }) => `${path} (${why})`).join(', ')}`,
  )
  for (const file of local) {
    const same = (await readFile(file.file)).equals(await readFile(join(copy, ...file.path.split('/'))))
    check(same, `${file.path} came back different.`)
  }
  check((await walkFolder(copy)).length === local.length, 'The pulled folder has other files than the pushed one.')
  say(`  ${countText(pulled.fetched.length, 'file')}, ${sizeText(pulled.fetchedBytes)}: all the same`)
}

/** Asks the graph for it, with the key `token`. */
export async function askGraph({ hub, repo, local, say }: FilesChapter, token: string): Promise<void> {
  const query =
    'query ($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) { fullName kind visibility ' +
    'fileSummary { count totalBytes verifiedCount } } }'
  const response = await fetch(`${hub.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables: repo }),
  })
  const answer = (await response.json()) as {
    data?: { repo?: { fileSummary?: { count?: number } } }
    errors?: unknown
  }
  check(answer.errors === undefined, `GraphQL refused: ${JSON.stringify(answer.errors)}`)
  check(
    answer.data?.repo?.fileSummary?.count === local.length,
    `GraphQL counts otherwise: ${JSON.stringify(answer.data)}`,
  )
  say(`  ${JSON.stringify(answer.data.repo)}`)
}

/** Reads one of its files as a browser does. */
export async function readPlain({ hub, repo, say }: FilesChapter, one: RemoteFile): Promise<void> {
  const address = `${hub.url}/v1/repos/${repo.owner}/${repo.slug}/resolve/${one.path.split('/').map(encodeURIComponent).join('/')}`
  const response = await fetch(address)
  check(response.ok, `${address} answered ${response.status}.`)
  const bytes = Buffer.from(await response.arrayBuffer())
  check(
    one.sha256 === null || createHash('sha256').update(bytes).digest('hex') === one.sha256,
    `${address} gave other bytes.`,
  )
  say(`  ${address}\n  ${sizeText(bytes.length)}, the bytes of ${one.path}`)
}

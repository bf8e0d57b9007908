/** Files, states and snapshots, as the hub answers and as the store gives their bytes. */
import { OWNER } from '../lab/lab.ts'
import type { Client } from '../load/client.ts'
import { downloaded, type KeptFile, type RepoJournal } from '../load/librarian.ts'
import { everyItem } from './every-item.ts'
import type { Findings } from './findings.ts'

export async function recountRepo(client: Client, journal: RepoJournal, findings: Findings): Promise<void> {
  const repo = `/v1/repos/${OWNER}/${journal.slug}`
  await recountState(client, repo, journal.files, findings)
  for (const [path, { sha256 }] of journal.files) {
    findings.count('files', 1)
    if ((await downloaded(client, repo, path)) !== sha256) findings.lost.push(`${repo}/${path}: other bytes`)
  }
  const names = (await everyItem(client, `${repo}/snapshots`)).map(({ name }) => name)
  findings.compare(`snapshots of ${repo}`, names.length, journal.snapshots.size)
  for (const [name, files] of journal.snapshots) {
    findings.count('snapshots', 1)
    if (names.filter((found) => found === name).length !== 1) findings.lost.push(`snapshot ${name} of ${repo}`)
    else await recountState(client, repo, files, findings, name)
  }
  const changes = await everyItem(client, `${repo}/history`)
  findings.count('changes of files', journal.seq)
  findings.compare(`changes of ${repo}`, changes[0]?.seq ?? 0, journal.seq)
  findings.compare(`entries of the history of ${repo}`, changes.length, journal.seq)
  const { json } = await client.ask('GET', repo)
  if ((json.description ?? '') !== journal.description) findings.lost.push(`the description of ${repo}`)
}

async function recountState(
  client: Client,
  repo: string,
  wanted: ReadonlyMap<string, KeptFile>,
  findings: Findings,
  at?: string,
): Promise<void> {
  const what = at === undefined ? repo : `${repo} at ${at}`
  const found = await everyItem(client, `${repo}/tree`, at === undefined ? {} : { at })
  findings.compare(`files of ${what}`, found.length, wanted.size)
  const digests = new Map(found.map(({ path, sha256 }) => [path, sha256]))
  for (const [path, { sha256 }] of wanted)
    if (digests.get(path) !== sha256) findings.lost.push(`${path} of ${what}: ${digests.get(path) ?? 'not there'}`)
}

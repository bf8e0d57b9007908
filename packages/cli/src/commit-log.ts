/** What `hub log` prints: the commits of a repo, or those that changed one file. */
import type { HubClient, RemoteCommit, RemoteFileRevision, RepoName } from '@hub/client/internal'
import { countText, sizeText } from './client-output.ts'
import type { CommandResult } from './client-session.ts'
import { inLine } from './terminal.ts'

/** What is shown of a commit id, as Git shows it; `--json` has all of it. */
export const shortId = (commitId: string) => commitId.slice(0, 7)

export const firstLine = (message: string | null) => message?.split('\n', 1)[0] ?? ''

/** Of kinds of changes. */
export const signs: Readonly<Record<string, string>> = {
  __proto__: null as never,
  added: '+',
  removed: '-',
  changed: '~',
}

/** The commit that creates a repo has no author, and neither has one whose author's account was deleted. */
const byWhom = ({ author }: Pick<RemoteCommit, 'author'>) => (author ? `by ${author.handle}  ` : '')

/** All that the caller is listed, newest first. */
export async function log(client: HubClient, repo: RepoName): Promise<CommandResult> {
  const commits: RemoteCommit[] = []
  for await (const page of client.versions.commits(repo)) commits.push(...page)
  const rows = commits.map((commit) => {
    const names = [...(commit.is_current ? ['current'] : []), ...commit.snapshots]
    const said = firstLine(commit.message) || (commit.seq === 0 ? 'created empty' : '')
    const line = `${shortId(commit.commit_id)}  ${commit.time}  ${byWhom(commit)}${said}`.trimEnd()
    return `${inLine(names.length > 0 ? `${line}  (${names.join(', ')})` : line)}\n`
  })
  return { json: { commits }, text: `${rows.join('')}${countText(commits.length, 'commit')}\n` }
}

/** The versions in which the path changed, newest first. */
export async function fileLog(client: HubClient, repo: RepoName, path: string): Promise<CommandResult> {
  const versions: RemoteFileRevision[] = []
  for await (const page of client.versions.fileHistory(repo, path)) versions.push(...page)
  const rows = versions.map(({ change, before, after, snapshots, ...one }) => {
    const sizes = [before, after].flatMap((side) => (side ? [sizeText(side.size)] : [])).join(' -> ')
    const line = `${shortId(one.commit_id)}  ${one.time}  ${signs[change] ?? '?'} ${sizes}  ${byWhom(one)}${firstLine(one.message)}`
    return `${inLine(snapshots.length > 0 ? `${line.trimEnd()}  (${snapshots.join(', ')})` : line.trimEnd())}\n`
  })
  return {
    json: { path, versions },
    text: `${rows.join('')}${countText(versions.length, 'version')} of ${inLine(path)}\n`,
  }
}

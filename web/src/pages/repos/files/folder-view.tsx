/** The entries of a folder. */
import { withHiddenShown } from '@hub/text/hidden-characters'
import { commands } from '../../../app/commands.ts'
import { Link } from '../../../app/navigate.tsx'
import { bytes, count } from '../../../ui/format.ts'
import { LoadMore } from '../../../ui/load-more.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import type { Pages } from '../../../ui/use-pages.ts'
import { resolvePath } from '../repo-links.ts'
import { type FolderEntry, folderEntries } from './folder-entries.ts'
import type { FileRowFragment, RepoTreeQuery } from './tree.graphql.ts'

interface Place {
  readonly owner: string
  readonly repo: string
}

interface Props extends Place {
  readonly folder: string
  readonly pages: Pages<RepoTreeQuery['repo'], FileRowFragment>
  readonly canWrite: boolean
}

export function FolderView({ owner, repo, folder, pages, canWrite }: Props) {
  const entries = folderEntries(pages.nodes, folder)
  if (entries.length === 0)
    return folder === '' ? (
      <Empty title="No files yet">
        {canWrite ? (
          <p>
            Drop a folder on this page, or send one from a terminal: <code>{commands.push(`${owner}/${repo}`)}</code>
          </p>
        ) : (
          <p>Its owner has sent none: ask them, or come back later.</p>
        )}
      </Empty>
    ) : (
      <Empty title="There is nothing at this path">
        <p>It may have been deleted or renamed: go up a folder, or look for it in the history.</p>
      </Empty>
    )
  const last = entries.findLast(({ kind }) => kind === 'folder')
  return (
    <div className="panel flush">
      <div className="table-wrap">
        <table>
          <thead>
            <tr>
              <th>Name</th>
              <th className="number">Size</th>
              <th className="wide-only">SHA-256</th>
              <th className="wide-only">Changed</th>
              <th>
                <span className="visually-hidden">Download</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Row
                key={entry.name + entry.kind}
                owner={owner}
                repo={repo}
                entry={entry}
                isOpenEnded={pages.hasMore && entry === last}
              />
            ))}
          </tbody>
        </table>
      </div>
      <LoadMore pages={pages} />
    </div>
  )
}

interface RowProps extends Place {
  readonly entry: FolderEntry<FileRowFragment>
  /** Whether more of the folder may follow on the next page. */
  readonly isOpenEnded: boolean
}

function Row({ owner, repo, entry, isOpenEnded }: RowProps) {
  if (entry.kind === 'folder') {
    const more = isOpenEnded ? '+' : ''
    return (
      <tr>
        <td className="file-name">
          <Link to="repoFiles" params={{ owner, repo, path: entry.path }}>
            {withHiddenShown(entry.name)}/
          </Link>{' '}
          <span className="dim small">
            {count(entry.count)}
            {more} {entry.count === 1 ? 'file' : 'files'}
          </span>
        </td>
        <td className="number nowrap">
          {bytes(entry.bytes)}
          {more}
        </td>
        <td className="wide-only" />
        <td className="wide-only" />
        <td />
      </tr>
    )
  }
  const { path, size, sha256, updatedAt } = entry.file
  return (
    <tr>
      <td className="file-name">
        <Link to="repoFiles" params={{ owner, repo, path }}>
          {withHiddenShown(entry.name)}
        </Link>
      </td>
      <td className="number nowrap">{bytes(size)}</td>
      <td className="wide-only digest dim" title={sha256 ?? undefined}>
        {sha256 ? `${sha256.slice(0, 12)}…` : 'not verified'}
      </td>
      <td className="wide-only nowrap">
        <Time at={updatedAt} />
      </td>
      <td className="right">
        <a
          href={resolvePath(owner, repo, path)}
          download={withHiddenShown(entry.name)}
          title={`Download ${withHiddenShown(entry.name)}`}
        >
          <span aria-hidden="true">↓</span>
          <span className="visually-hidden">Download {withHiddenShown(entry.name)}</span>
        </a>
      </td>
    </tr>
  )
}

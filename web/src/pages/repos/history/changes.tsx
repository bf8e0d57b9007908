/** The changes of a repo's files, newest first, each with what it changed, what differs since, and a way back to it. */
import { useState } from 'react'
import { useMutation } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { bytes, count } from '../../../ui/format.ts'
import { messageOf } from '../../../ui/problem.ts'
import { Empty } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { type RepoHistoryQuery, restoreRepoMutation } from './history.graphql.ts'
import { NameVersion } from './name-version.tsx'

type Change = NonNullable<NonNullable<RepoHistoryQuery['repo']>['history']>['nodes'][number]

interface Props {
  readonly owner: string
  readonly repo: string
  readonly changes: readonly Change[]
  readonly changed: () => void
}

export function Changes({ owner, repo, changes, changed }: Props) {
  const [asked, setAsked] = useState<Change | null>(null)
  const [{ fetching }, restore] = useMutation(restoreRepoMutation)
  const toast = useToast()
  const latest = changes[0]?.seq ?? null
  const confirm = async () => {
    if (asked === null) return
    // A change that this page does not show is not undone unseen.
    const { data, error } = await restore({ input: { owner, repo, at: String(asked.seq), ifSeq: latest } })
    const sums = data?.restoreState
    toast(
      sums
        ? `Restored: ${sums.added} files added, ${sums.changed} changed, ${sums.removed} removed.`
        : error
          ? messageOf(error)
          : '',
    )
    setAsked(null)
    changed()
  }
  if (changes.length === 0)
    return (
      <Empty title="No change yet">
        <p>Upload a file: each change is listed here, and can be compared and restored.</p>
      </Empty>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard on a narrow window
    <section className="panel flush table-wrap" aria-label="Changes" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Change</th>
            <th>Files</th>
            <th className="number">Size after</th>
            <th>When</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((one, index) => (
            <ChangeRow
              key={one.seq}
              owner={owner}
              repo={repo}
              change={one}
              // Of the last one of a page it is known by its number alone.
              previous={changes[index + 1]?.commitId ?? String(one.seq - 1)}
              isLatest={one.seq === latest}
              latestId={changes[0]?.commitId ?? ''}
              ask={setAsked}
              named={changed}
            />
          ))}
        </tbody>
      </table>
      <Confirm
        title={`Restore the version of change ${asked?.seq ?? ''}?`}
        isOpen={asked !== null}
        close={() => setAsked(null)}
        action="Restore"
        isBusy={fetching}
        confirm={() => void confirm()}
      >
        <p>The files become those of that version, as a new change. Nothing is lost, and you can undo it.</p>
      </Confirm>
    </section>
  )
}

interface RowProps {
  readonly owner: string
  readonly repo: string
  readonly change: Change
  /** Names the version that it changed. */
  readonly previous: string
  readonly isLatest: boolean
  /** The commit id of the current version. */
  readonly latestId: string
  readonly ask: (change: Change) => void
  readonly named: () => void
}

const acts: Readonly<Record<Change['action'], string>> = {
  COMPLETE: 'upload',
  DELETE: 'delete',
  RESTORE: 'restore',
  PURGE: 'purge',
  REJECT: 'rejected by the hub',
}

function ChangeRow({ owner, repo, change, previous, isLatest, latestId, ask, named }: RowProps) {
  const by = change.actor && <span className="dim">by {change.actor.handle}</span>
  return (
    <tr>
      <td>
        {change.seq} · {acts[change.action]} {by}{' '}
        <code className="dim" title={change.commitId}>
          {change.commitId.slice(0, 7)}
        </code>{' '}
        {change.snapshots.map((name) => (
          <span key={name} className="badge good">
            {name}
          </span>
        ))}
        {change.message !== null && <p className="change-message">{change.message}</p>}
        <div className="row change-actions">
          <Link
            to="repoCompare"
            params={{ owner, repo }}
            query={{ from: previous, to: change.commitId }}
            className="button small"
          >
            Changes
          </Link>
          <NameVersion owner={owner} repo={repo} seq={change.seq} named={named} />
          {!isLatest && (
            <>
              <Link
                to="repoCompare"
                params={{ owner, repo }}
                query={{ from: change.commitId, to: latestId }}
                className="button small"
                title="With the current version"
              >
                Compare
              </Link>{' '}
              <button type="button" className="button small" onClick={() => ask(change)}>
                Restore
              </button>
            </>
          )}
        </div>
      </td>
      <td className="nowrap">
        <span className="change-added">+{count(change.filesAdded)}</span> ~{count(change.filesChanged)}{' '}
        <span className="change-removed">−{count(change.filesRemoved)}</span>
      </td>
      <td className="number nowrap">{bytes(change.totalBytes)}</td>
      <td className="nowrap">
        <Time at={change.time} />
      </td>
    </tr>
  )
}

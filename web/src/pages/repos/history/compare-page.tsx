/** What differs between any two versions of a repo. The address names both. */
import './diff.css'
import { useState } from 'react'
import { Link, useSearchParams } from '../../../app/navigate.tsx'
import { Field } from '../../../ui/field.tsx'
import { ago } from '../../../ui/format.ts'
import { rootField } from '../../../ui/root-field.ts'
import { Empty } from '../../../ui/states.tsx'
import { useReading } from '../../../ui/use-reading.ts'
import { RepoFrame } from '../repo-frame.tsx'
import { type CompareRepoQuery, compareRepoQuery } from './compare.graphql.ts'
import { Diff } from './diff.tsx'
import { ModelVersions } from './model-versions.tsx'

interface Params {
  readonly owner: string
  readonly repo: string
}

type Head = NonNullable<CompareRepoQuery['repo']>

export function Page({ params }: { readonly params: Params }) {
  const { owner, repo } = params
  const [answer, retry] = useReading({ query: compareRepoQuery, variables: { owner, repo } })
  const { value: head, error } = rootField(answer, 'repo')
  return (
    <RepoFrame params={params} part="Compare versions" head={head} error={error} retry={retry}>
      {head && <Compare owner={owner} repo={repo} head={head} />}
    </RepoFrame>
  )
}

function Compare({ owner, repo, head }: Params & { readonly head: Head }) {
  const [search, setSearch] = useSearchParams()
  const commits = head.commits?.nodes ?? []
  const from = search.get('from') ?? commits[1]?.commitId ?? ''
  const to = search.get('to') ?? commits[0]?.commitId ?? ''
  const choose = (chosen: { readonly from: string; readonly to: string }) => setSearch(chosen)
  const [commitFrom, commitTo] = [commitOf(head, from), commitOf(head, to)]
  return (
    <div className="stack">
      <section className="panel stack" aria-label="Versions to compare">
        <div className="version-pickers">
          <Picker label="From" head={head} value={from} choose={(value) => choose({ from: value, to })} />
          <button
            type="button"
            className="button"
            disabled={from === '' || to === ''}
            onClick={() => choose({ from: to, to: from })}
          >
            Swap
          </button>
          <Picker label="To" head={head} value={to} choose={(value) => choose({ from, to: value })} />
        </div>
        {commitFrom && commitTo && (commitFrom !== from || commitTo !== to) && (
          <p className="small">
            <Link to="repoCompare" params={{ owner, repo }} query={{ from: commitFrom, to: commitTo }}>
              Permanent link
            </Link>{' '}
            <span className="dim">
              A snapshot may be deleted and made again; this link names the versions themselves.
            </span>
          </p>
        )}
      </section>
      {from === '' || to === '' ? (
        <Empty title="Choose two versions">
          <p>
            You can compare versions once there are two: each upload, edit or push makes one. Readers of a repo see the
            current version, and those that have a name.
          </p>
        </Empty>
      ) : (
        <>
          {head.kind === 'MODEL' && (
            <ModelVersions key={`${from} ${to}`} owner={owner} repo={repo} from={from} to={to} />
          )}
          <Diff key={`${from} ${to}`} owner={owner} repo={repo} from={from} to={to} />
        </>
      )}
    </div>
  )
}

/** The commit id of what a picker holds; null where the page does not know it. */
function commitOf({ snapshots, commits }: Head, value: string): string | null {
  const named = snapshots.nodes.find(({ name }) => name === value)
  if (named) return named.commitId
  return commits?.nodes.some(({ commitId }) => commitId === value) ? value : null
}

interface PickerProps {
  readonly label: string
  readonly head: Head
  readonly value: string
  readonly choose: (value: string) => void
}

function Picker({ label, head: { commits, snapshots }, value, choose }: PickerProps) {
  const [now] = useState(Date.now)
  const known = [...(commits?.nodes ?? []).map(({ commitId }) => commitId), ...snapshots.nodes.map(({ name }) => name)]
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => choose(event.target.value)}>
        {value === '' && <option value="">Choose a version</option>}
        {value !== '' && !known.includes(value) && <option value={value}>{value.slice(0, 40)}</option>}
        {snapshots.nodes.length > 0 && (
          <optgroup label="Snapshots">
            {snapshots.nodes.map(({ name, note }) => (
              <option key={name} value={name}>
                {note ? `${name} · ${firstLine(note)}` : name}
              </option>
            ))}
          </optgroup>
        )}
        <optgroup label="Versions">
          {(commits?.nodes ?? []).map(({ commitId, message, time, isCurrent }) => (
            <option key={commitId} value={commitId}>
              {[commitId.slice(0, 7), isCurrent ? 'current' : '', firstLine(message ?? ''), ago(time, now)]
                .filter(Boolean)
                .join(' · ')}
            </option>
          ))}
        </optgroup>
      </select>
    </Field>
  )
}

const MOST_CHARACTERS = 60
const firstLine = (text: string) => (text.split('\n', 1)[0] ?? '').slice(0, MOST_CHARACTERS)

/** The parts of a run that are tables. */

import { commands } from '../../app/commands.ts'
import { useSession } from '../../app/session.tsx'
import { Command } from '../../ui/command.tsx'
import { bytes, count, words } from '../../ui/format.ts'
import { rootField } from '../../ui/root-field.ts'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { usePoll } from '../../ui/use-poll.ts'
import { useReading } from '../../ui/use-reading.ts'
import { RepoLink } from '../repos/repo-table.tsx'
import { MadeWith } from './made-with.tsx'
import { PromoteCheckpoint } from './promote/promote-checkpoint.tsx'
import { Rows } from './rows.tsx'
import { runConfigQuery, runGateQuery } from './run.graphql.ts'
import type { RunShown } from './run-shown.ts'

/** The config, and what the run changed of its parent's. */
export function Config({ id }: { readonly id: string }) {
  const [answer, again] = useReading({ query: runConfigQuery, variables: { id } })
  const { value: run, error } = rootField(answer, 'run')
  if (run === undefined) return error ? <ErrorNotice error={error} retry={again} /> : <Loading />
  const config = run?.config
  const changed = config?.pairs.filter((pair) => pair.changed) ?? []
  if (!config || config.keys.length === 0)
    return (
      <div className="stack">
        {error && <ErrorNotice error={error} retry={again} />}
        <Empty title="No config yet">
          <p>{config?.reason ?? 'Its runner sends one when it begins: look at the log for what it does.'}</p>
        </Empty>
        <MadeWith environment={run?.environment} />
      </div>
    )
  return (
    <div className="stack">
      {error && <ErrorNotice error={error} retry={again} />}
      {changed.length > 0 && (
        <Rows
          label="Changed from the parent"
          heads={['Setting', 'Parent', 'This run']}
          rows={changed.map((pair) => [pair.childPath, pair.from ?? '–', pair.to ?? '–'])}
        />
      )}
      <Rows
        label={`All ${count(config.total)} settings`}
        heads={['Setting', 'Value', 'Group']}
        rows={config.keys.map(({ group, path, value }) => [path, value, group])}
      />
      <MadeWith environment={run?.environment} />
    </div>
  )
}

/** How often the list of a run in progress is read again: the hub sends no event for a checkpoint. */
const CHECKPOINTS_EVERY_MS = 15_000

export function Checkpoints({ run, reload }: { readonly run: RunShown; readonly reload: () => void }) {
  const { items, repo } = run.checkpoints
  usePoll(() => run.finishedAt === null && reload(), CHECKPOINTS_EVERY_MS)
  const { viewer } = useSession()
  const canPromote = viewer !== null && viewer.scope !== 'READ'
  if (items.length === 0)
    return (
      <Empty title="No checkpoint yet">
        <p>
          The trainer publishes one by writing the folder <code>checkpoints/step_N</code>: the log says how far it is.
        </p>
      </Empty>
    )
  return (
    <div className="stack">
      <div className="panel flush table-wrap">
        <table>
          <thead>
            <tr>
              <th className="number">Step</th>
              <th>Where</th>
              <th className="number">Size</th>
              <th>Published</th>
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((one) => (
              <tr key={one.path}>
                <td className="number">{count(one.step)}</td>
                <td className="mono">
                  {repo && <RepoLink fullName={repo.fullName} />} {one.path}
                </td>
                <td className="number nowrap">{bytes(one.bytes)}</td>
                <td>
                  <Time at={one.publishedAt} />
                </td>
                <td>
                  {canPromote && <PromoteCheckpoint runId={run.id} step={one.step} owner={viewer.account.handle} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {run.outputModelRepo && (
        <Command
          label="download the checkpoints"
          text={commands.pull(run.outputModelRepo.fullName, folderOf(run.outputModelRepo.fullName))}
        />
      )}
    </div>
  )
}

export function Gate({ id }: { readonly id: string }) {
  const [answer, again] = useReading({ query: runGateQuery, variables: { id } })
  const { value: run, error } = rootField(answer, 'run')
  if (run === undefined) return error ? <ErrorNotice error={error} retry={again} /> : <Loading />
  const results = run?.gateResults ?? []
  if (results.length === 0)
    return (
      <>
        {error && <ErrorNotice error={error} retry={again} />}
        <Empty title="No checkpoint was tried yet">
          <p>A run whose recipe has a gate tries each checkpoint: add a gate to the recipe and submit it again.</p>
        </Empty>
      </>
    )
  return (
    <div className="stack">
      {error && <ErrorNotice error={error} retry={again} />}
      {results.map((result) => (
        <section key={result.step} className="panel" aria-label={`Step ${result.step}`}>
          <h2>
            Step {count(result.step)}: {result.passCount} of {result.cellCount} passed
          </h2>
          <div className="row">
            {result.cells.map((cell) => (
              <span key={cell.name} title={cell.detail ?? undefined}>
                {cell.name} <Status of={cell.status} />
              </span>
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}

/** Datasets with the version that the run was given, which stays as long as the run does. */
export function Datasets({ run }: { readonly run: RunShown }) {
  if (run.datasets.length === 0)
    return (
      <Empty title="This run has no dataset">
        <p>Run it again with changes to give it one.</p>
      </Empty>
    )
  return (
    <div className="stack">
      <div className="panel flush table-wrap">
        <table>
          <thead>
            <tr>
              <th>Dataset</th>
              <th className="number">Version</th>
              <th>Episodes</th>
              <th className="number">Files</th>
              <th className="number">Size</th>
              <th>From</th>
            </tr>
          </thead>
          <tbody>
            {run.datasets.map((one) => (
              <tr key={one.ref}>
                <td>{one.repo ? <RepoLink fullName={one.repo.fullName} /> : <code>{one.ref}</code>}</td>
                <td className="number">{one.seq ?? '–'}</td>
                <td>
                  {one.selection ? (
                    <span title={one.selection.fingerprint}>
                      {one.selection.name}, {count(one.selection.count)}
                    </span>
                  ) : (
                    'all'
                  )}
                </td>
                <td className="number">{one.state ? count(one.state.fileSummary.count) : '–'}</td>
                <td className="number nowrap">{one.state ? bytes(one.state.fileSummary.totalBytes) : '–'}</td>
                <td>
                  <Time at={one.state?.time} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {run.datasets.map(
        ({ repo }) =>
          repo && (
            <Command
              key={repo.id}
              label={`download ${repo.fullName} as this run had it`}
              text={commands.pull(repo.fullName, folderOf(repo.fullName), run.id)}
            />
          ),
      )}
    </div>
  )
}

export function Attempts({ run }: { readonly run: RunShown }) {
  if (run.attempts.length === 0)
    return (
      <Empty title="No runner has claimed it yet">
        <p>
          Start one on a machine of yours: <code>hub runner</code>
        </p>
      </Empty>
    )
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            <th className="number">Attempt</th>
            <th>Runner</th>
            <th>Claimed</th>
            <th>Ended</th>
            <th>Result</th>
          </tr>
        </thead>
        <tbody>
          {run.attempts.map((one) => (
            <tr key={one.attempt}>
              <td className="number">{one.attempt}</td>
              <td>{one.claimedBy}</td>
              <td>
                <Time at={one.claimedAt} />
              </td>
              <td>
                <Time at={one.endedAt} />
              </td>
              <td>{one.end ? words(one.end) : 'in progress'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The slug of a repo. */
const folderOf = (fullName: string) => fullName.split('/').at(-1) ?? fullName

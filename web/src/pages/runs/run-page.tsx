/** One run: what it is, its log and curves as they come, its config, checkpoints, gate, attempts and spend. */
import { lazy, Suspense } from 'react'
import { useSubscription } from 'urql'
import { commands } from '../../app/commands.ts'
import { Link, useSearchParams } from '../../app/navigate.tsx'
import { Command } from '../../ui/command.tsx'
import { bytes, claimer, count, duration, money } from '../../ui/format.ts'
import { NotThere } from '../../ui/not-there.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useCurrentInView } from '../../ui/use-current-in-view.ts'
import { useReading } from '../../ui/use-reading.ts'
import { useWhenBehind } from '../../ui/use-when-behind.ts'
import { RepoLink } from '../repos/repo-table.tsx'
import { runChangedSubscription, runQuery } from './run.graphql.ts'
import { RunActions } from './run-actions.tsx'
import { Attempts, Checkpoints, Config, Datasets, Gate } from './run-parts.tsx'
import type { RunShown } from './run-shown.ts'
import { RunSummary } from './run-summary.tsx'
import { Progress, tookOf } from './run-table.tsx'
import './run-page.css'

const RunLog = lazy(async () => ({ default: (await import('./run-log.tsx')).RunLog }))
const RunMetrics = lazy(async () => ({ default: (await import('./run-metrics.tsx')).RunMetrics }))
const RunMedia = lazy(async () => ({ default: (await import('./media/run-media.tsx')).RunMedia }))

const allParts = ['Log', 'Metrics', 'Media', 'Config', 'Checkpoints', 'Gate', 'Data', 'Attempts'] as const
type Part = (typeof allParts)[number]

const stageOf = ({ status, attempt }: Pick<RunShown, 'status' | 'attempt'>) => `${status} ${attempt}`

export function Page({ params: { id } }: { readonly params: { readonly id: string } }) {
  const [answer, reload] = useReading({ query: runQuery, variables: { id } })
  // Its fields land in the same cache entry as the page's.
  const [{ data: change }] = useSubscription({ query: runChangedSubscription, variables: { id } })
  const [search, setSearch] = useSearchParams()
  const field = rootField(answer, 'run')
  const tabs = useCurrentInView(field.value ? (search.get('part') ?? '') : undefined)
  const sent = change?.runUpdated
  // What a run leaves when a runner takes it, and at its end: attempts, checkpoints, its model repo.
  useWhenBehind(field.value && stageOf(field.value), sent && stageOf(sent), reload)
  if (!field.value) return <NotThere what="run" field={field} retry={reload} />
  const run = { ...field.value, ...change?.runUpdated, recipe: field.value.recipe }
  // A run without media has no place for them.
  const parts = allParts.filter((one) => one !== 'Media' || run.mediaKeys.length > 0)
  const part = parts.find((one) => one.toLowerCase() === search.get('part')) ?? 'Log'
  return (
    <>
      <PageHeader
        title={run.displayName}
        about={
          <span className="row">
            <Status of={run.status} /> {run.recipe.template} · {run.owner.handle} · <Time at={run.createdAt} />
          </span>
        }
      >
        <RunActions run={run} />
      </PageHeader>
      {field.error && <ErrorNotice error={field.error} retry={reload} />}
      {run.error && <p className="notice">{run.error}</p>}
      {run.status === 'QUEUED' && run.executor === 'WORKER' && (
        <section className="panel stack" aria-label="Start a runner">
          <p>It waits for a runner of {run.owner.handle}. Start one on the machine that is to train:</p>
          <Command label="start a runner" text={commands.runner(run.owner.handle)} />
        </section>
      )}
      <RunSummary run={run} />
      <Facts run={run} />
      <nav className="tabs" aria-label="Parts of the run" ref={tabs}>
        {parts.map((one) => (
          <button
            key={one}
            type="button"
            className={one === part ? 'tab current' : 'tab'}
            aria-current={one === part ? 'page' : undefined}
            onClick={() => setSearch({ part: one.toLowerCase() }, { replace: true })}
          >
            {one}
          </button>
        ))}
      </nav>
      <Suspense fallback={<Loading />}>
        <RunPart part={part} run={run} reload={reload} />
      </Suspense>
    </>
  )
}

interface PartProps {
  readonly part: Part
  readonly run: RunShown
  readonly reload: () => void
}

function RunPart({ part, run, reload }: PartProps) {
  switch (part) {
    case 'Log':
      return <RunLog id={run.id} />
    case 'Metrics':
      return <RunMetrics runs={[{ id: run.id, name: run.displayName }]} tick={JSON.stringify(run.latestMetrics)} />
    case 'Media':
      return <RunMedia run={run} reload={reload} />
    case 'Config':
      return <Config id={run.id} />
    case 'Checkpoints':
      return <Checkpoints run={run} reload={reload} />
    case 'Gate':
      return <Gate id={run.id} />
    case 'Data':
      return <Datasets run={run} />
    case 'Attempts':
      return <Attempts run={run} />
  }
}

/** What a run comes from and what it left; each only where there is one. */
function LinkedFacts({ run }: { readonly run: RunShown }) {
  return (
    <>
      {run.robotRepo && (
        <>
          <dt>Robot</dt>
          <dd>
            <RepoLink fullName={run.robotRepo.fullName} />
          </dd>
        </>
      )}
      {run.outputModelRepo && (
        <>
          <dt>Output</dt>
          <dd>
            <RepoLink fullName={run.outputModelRepo.fullName} />
          </dd>
        </>
      )}
      {run.parent && (
        <>
          <dt>{run.recipe.parentCheckpointStep === null ? 'Made from' : 'Continues'}</dt>
          <dd>
            <Link to="run" params={{ id: run.parent.id }}>
              {run.parent.displayName}
            </Link>
          </dd>
        </>
      )}
      {run.gate && (
        <>
          <dt>Gate</dt>
          <dd>
            {run.gate.passed} of {run.gate.total} passed
          </dd>
        </>
      )}
      {run.checkpoints.items.length > 0 && (
        <>
          <dt>Checkpoints</dt>
          <dd>
            {run.checkpoints.items.length}, together{' '}
            {bytes(run.checkpoints.items.reduce((sum, one) => sum + one.bytes, 0))}
          </dd>
        </>
      )}
    </>
  )
}

/** What people keep the run by; each only where it is set. */
function KeptFacts({ run }: { readonly run: RunShown }) {
  const rows = [
    ['Project', run.project],
    ['Group', run.group],
    ['Part', run.jobType],
  ] as const
  return (
    <>
      {rows.map(
        ([label, text]) =>
          text !== null && (
            <div key={label} className="fact-row">
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ),
      )}
      {run.tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd className="row">
            {run.tags.map((tag) => (
              <span key={tag} className="badge">
                {tag}
              </span>
            ))}
          </dd>
        </>
      )}
    </>
  )
}

function Facts({ run }: { readonly run: RunShown }) {
  const { progress, spendDetail: spend } = run
  return (
    <section className="panel" aria-label="Facts">
      <dl className="facts">
        <dt>Progress</dt>
        <dd>
          <span className="row">
            <Progress
              fraction={run.status === 'SUCCEEDED' ? 1 : (progress?.fraction ?? null)}
              label={run.displayName}
            />
            {progress?.iteration !== null && progress?.iteration !== undefined && (
              <span className="dim">
                step {count(progress.iteration)}
                {progress.totalIterations ? ` of ${count(progress.totalIterations)}` : ''}
              </span>
            )}
            {run.status === 'RUNNING' && progress?.etaS ? (
              <span className="dim">{duration(progress.etaS)} left</span>
            ) : null}
          </span>
        </dd>
        <dt>Took</dt>
        <dd>{tookOf(run)}</dd>
        <dt>Runner</dt>
        <dd>
          {claimer(run)} {run.gpuType && <span className="dim">({run.gpuType})</span>}
        </dd>
        <dt>Spend</dt>
        <dd>
          {spend.priced ? money(spend.accruedUsd) : 'not priced'}
          {spend.budgetUsd !== null && <span className="dim"> of a budget of {money(spend.budgetUsd)}</span>}
        </dd>
        <LinkedFacts run={run} />
        <KeptFacts run={run} />
      </dl>
      {run.warnings.map((warning) => (
        <p key={warning} className="dim">
          {warning}
        </p>
      ))}
    </section>
  )
}

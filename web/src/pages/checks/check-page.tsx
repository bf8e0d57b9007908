/** One check: its verdict with a fix for each fault, stills, log, and publishing. */
import { lazy, Suspense } from 'react'
import { useSubscription } from 'urql'
import { commands } from '../../app/commands.ts'
import { Action } from '../../ui/action.tsx'
import { Command } from '../../ui/command.tsx'
import { bytes, claimer, heading, money } from '../../ui/format.ts'
import { NotThere } from '../../ui/not-there.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { useWhenBehind } from '../../ui/use-when-behind.ts'
import { RepoLink } from '../repos/repo-table.tsx'
import { tookOf } from '../runs/run-table.tsx'
import { CheckBadge } from './check-badge.tsx'
import {
  type CheckQuery,
  cancelCheckMutation,
  checkChangedSubscription,
  checkQuery,
  publishCheckMutation,
} from './checks.graphql.ts'
import { ReportRows } from './report.tsx'

const CheckLog = lazy(async () => ({ default: (await import('./check-log.tsx')).CheckLog }))

type Check = NonNullable<CheckQuery['robotCheck']>

export function Page({ params: { id } }: { readonly params: { readonly id: string } }) {
  const [{ data: change }] = useSubscription({ query: checkChangedSubscription, variables: { id } })
  const [answer, reload] = useReading({ query: checkQuery, variables: { id } })
  const field = rootField(answer, 'robotCheck')
  // The report and the files of a check that ends while it is looked at are not in what the hub sends of a change.
  const sent = change?.robotCheckUpdated
  useWhenBehind(field.value && String(field.value.finishedAt), sent && String(sent.finishedAt), reload)
  if (!field.value) return <NotThere what="check" field={field} retry={reload} />
  const check: Check = { ...field.value, ...change?.robotCheckUpdated }
  const repo = check.robotRepoRef ?? check.modelRepoRef
  return (
    <>
      <PageHeader
        title={`${heading(check.kind)} check${repo ? ` of ${repo.fullName}` : ''}`}
        about={
          <span className="row">
            <CheckBadge check={check} /> {check.owner.handle} · <Time at={check.createdAt} />
          </span>
        }
      >
        {check.status === 'SUCCEEDED' && !check.published && check.publishBlockers.length === 0 && (
          <Action
            mutation={publishCheckMutation}
            variables={{ input: { checkId: id } }}
            title="Publish"
            done="Published."
            className="button primary"
            finished={reload}
          >
            <p>The card, the model and the stills that the check made are written into the repo.</p>
          </Action>
        )}
        {check.finishedAt === null && (
          <Action
            mutation={cancelCheckMutation}
            variables={{ input: { checkId: id } }}
            title="Cancel check"
            done="Canceled."
            className="button danger"
          >
            <p>Its worker stops. Nothing is written.</p>
          </Action>
        )}
      </PageHeader>
      <div className="stack">
        {field.error && <ErrorNotice error={field.error} retry={reload} />}
        {check.error && <p className="notice">{check.error}</p>}
        {check.status === 'QUEUED' && check.executor === 'WORKER' && (
          <section className="panel stack" aria-label="Start a worker">
            <p>It waits for a worker of {check.owner.handle}. If none runs, start one on a machine of yours:</p>
            <Command label="start a worker for checks" text={commands.checkWorker(check.owner.handle)} />
          </section>
        )}
        {check.reportFull && <ReportRows report={check.reportFull} />}
        <Blockers check={check} />
        <Facts check={check} />
        <Stills check={check} />
        <section className="stack" aria-label="Log">
          <h2>Log</h2>
          <Suspense fallback={<Loading />}>
            <CheckLog id={id} />
          </Suspense>
        </section>
      </div>
    </>
  )
}

function Facts({ check }: { readonly check: Check }) {
  const repo = check.robotRepoRef ?? check.modelRepoRef
  return (
    <section className="panel" aria-label="Facts">
      <dl className="facts">
        <dt>Repo</dt>
        <dd>{repo ? <RepoLink fullName={repo.fullName} /> : 'uploaded files'}</dd>
        <dt>Entry</dt>
        <dd className="mono">{check.entry ?? '–'}</dd>
        <dt>Worker</dt>
        <dd>{claimer(check)}</dd>
        <dt>Took</dt>
        <dd>{tookOf(check)}</dd>
        {check.priced && (
          <>
            <dt>Cost</dt>
            <dd>{money(check.costUsd)}</dd>
          </>
        )}
        {check.publishedFull && (
          <>
            <dt>Published</dt>
            <dd>
              <Time at={check.publishedFull.at} /> {check.publishedFull.by && `by ${check.publishedFull.by.handle}`}
            </dd>
          </>
        )}
        {check.reportFull?.interfaceFingerprint && (
          <>
            <dt>Interface</dt>
            <dd className="mono">{check.reportFull.interfaceFingerprint}</dd>
          </>
        )}
      </dl>
    </section>
  )
}

function Blockers({ check }: { readonly check: Check }) {
  if (check.finishedAt === null || check.published || check.publishBlockers.length === 0) return null
  return (
    <section className="panel" aria-label="What is needed">
      <h2>What is needed before it can be published</h2>
      <ul>
        {check.publishBlockers.map((blocker) => (
          <li key={blocker}>{blocker}</li>
        ))}
      </ul>
    </section>
  )
}

function Stills({ check }: { readonly check: Check }) {
  if (check.artifacts.length === 0) return null
  const images = check.artifacts.filter(({ path }) => /\.(?:png|jpe?g|webp)$/.test(path))
  const others = check.artifacts.filter((one) => !images.includes(one))
  return (
    <section className="panel stack" aria-label="Files that the check made">
      <h2>Files</h2>
      {images.length > 0 && (
        <div className="stills">
          {images.map(({ path, url }) => (
            <img key={path} src={url} alt={`Still ${path}`} loading="lazy" />
          ))}
        </div>
      )}
      <ul>
        {others.map(({ path, url, size }) => (
          <li key={path}>
            <a href={url}>{path}</a> <span className="dim">{bytes(size)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

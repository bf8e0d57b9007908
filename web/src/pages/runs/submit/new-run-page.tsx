/** Submits a run, from nothing or with the settings of another one. The price is shown before it is created. */
import { useState } from 'react'
import { exactRequest } from '../../../app/exact-request.ts'
import { useSearchParams } from '../../../app/navigate.tsx'
import { accountsOf, useSession } from '../../../app/session.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { rootField } from '../../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { SignInFirst } from '../../accounts/sign-in-first.tsx'
import { useLoaded } from '../../repos/files/previews/use-loaded.ts'
import { draftOf, newDraft } from './run-draft.ts'
import { RunForm } from './run-form.tsx'
import './form.css'
import { useReading } from '../../../ui/use-reading.ts'
import { type RunToRepeatQuery, runToRepeatQuery, submitFormQuery } from './submit.graphql.ts'

export function Page() {
  return (
    <SignInFirst title="New run">
      <NewRun />
    </SignInFirst>
  )
}

/** The address may name `from`, a run to repeat, or `dataset` and `robot`. */
function NewRun() {
  const { viewer } = useSession()
  const [search] = useSearchParams()
  const from = search.get('from')
  const [form, againForm] = useReading({ query: submitFormQuery })
  const [attempt, setAttempt] = useState(0)
  // Exactly: the settings of the other run keep their digits.
  const repeated = useLoaded(`${from} ${attempt}`, async () =>
    from === null ? {} : exactRequest(runToRepeatQuery, { id: from }),
  )
  const { value: list, error } = rootField(form, 'trainingTemplates')
  const tiers = rootField(form, 'hardwareTiers')
  const datasets = rootField(form, 'datasets')
  const robots = rootField(form, 'robots')
  const run = rootField<RunToRepeatQuery, 'run'>(repeated.value ?? {}, 'run')
  const owners = accountsOf(viewer)
  const title = from === null ? 'New run' : 'Run again'
  const isReady = list && (from === null || run.value !== undefined)
  const templates = list?.items ?? []
  const draft = run.value
    ? draftOf(run.value, owners)
    : newDraft(
        search.get('template') ?? templates.find(({ implemented }) => implemented)?.name ?? '',
        owners[0] ?? '',
        search.get('dataset'),
        search.get('robot'),
      )
  return (
    <>
      <PageHeader
        title={title}
        about={
          run.value
            ? `With the settings of ${run.value.displayName}: change what is to be different.`
            : 'Trains a policy.'
        }
      />
      {[error, tiers.error, datasets.error, robots.error].map(
        (one, place) => one && <ErrorNotice key={place} error={one} retry={againForm} />,
      )}
      {from !== null && run.error && <ErrorNotice error={run.error} retry={() => setAttempt(attempt + 1)} />}
      {from !== null && run.value === null && (
        <p className="notice">There is no such run, or you cannot see it: the form is empty.</p>
      )}
      {viewer?.scope === 'READ' && (
        <p className="notice">You signed in to read only: a run needs the right to train.</p>
      )}
      {!isReady && !error && !run.error && <Loading />}
      {isReady && (
        <RunForm
          key={from}
          first={draft}
          from={run.value ?? null}
          templates={templates}
          tiers={tiers.value?.items ?? []}
          isHosting={tiers.value?.hosting.configured ?? false}
          datasets={namesOf(datasets.value)}
          robots={namesOf(robots.value)}
          owners={owners}
        />
      )}
    </>
  )
}

const namesOf = (page: { readonly nodes: readonly { readonly fullName: string }[] } | null | undefined) =>
  (page?.nodes ?? []).map(({ fullName }) => fullName)

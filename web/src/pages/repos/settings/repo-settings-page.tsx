/** What the people of a repo can change about it. */
import { lazy, Suspense } from 'react'
import { rootField } from '../../../ui/root-field.ts'
import { Empty, Loading } from '../../../ui/states.tsx'
import { useReading } from '../../../ui/use-reading.ts'
import { RepoFrame, useCanWrite } from '../repo-frame.tsx'
import { DatasetMeta } from './dataset-meta.tsx'
import { DeleteRepo } from './delete-repo.tsx'
import { ModelMeta } from './model-meta.tsx'
import { MoveRepo } from './move-repo.tsx'
import { PurgeFiles } from './purge-files.tsx'
import { repoSettingsQuery } from './repo-settings.graphql.ts'
import { SettingsForm } from './settings-form.tsx'

const CardForm = lazy(() => import('./card-form.tsx'))

interface Params {
  readonly owner: string
  readonly repo: string
}

export function Page({ params }: { readonly params: Params }) {
  // What a person changes begins with what the hub has now, not with what this tab read some time ago.
  const [answer, again] = useReading({
    query: repoSettingsQuery,
    variables: { ...params },
    requestPolicy: 'network-only',
  })
  const { value: repo, error } = rootField(answer, 'repo')
  const canWrite = useCanWrite(params.owner)
  return (
    <RepoFrame params={params} part="Settings" head={repo} error={error} retry={again}>
      {repo && !canWrite && (
        <Empty title="These settings are not yours to change">
          <p>Ask the owner of the repo for the change, or for a place in their organization.</p>
        </Empty>
      )}
      {repo && canWrite && (
        <div className="stack">
          <SettingsForm key={repo.id} head={repo} />
          <Suspense fallback={<Loading />}>
            <CardForm owner={params.owner} repo={params.repo} />
          </Suspense>
          {repo.kind === 'MODEL' && <ModelMeta owner={params.owner} repo={params.repo} meta={repo.modelMeta} />}
          {repo.kind === 'DATASET' && <DatasetMeta owner={params.owner} repo={params.repo} meta={repo.datasetMeta} />}
          <MoveRepo key={repo.fullName} owner={params.owner} repo={params.repo} />
          <PurgeFiles owner={params.owner} repo={params.repo} />
          <DeleteRepo fullName={repo.fullName} {...repo.fileSummary} />
        </div>
      )}
    </RepoFrame>
  )
}

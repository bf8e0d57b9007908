/** What the people of a repo can change about it. */
import { useQuery } from 'urql'
import { rootField } from '../../../ui/root-field.ts'
import { Empty } from '../../../ui/states.tsx'
import { RepoFrame, useCanWrite } from '../repo-frame.tsx'
import { DeleteRepo } from './delete-repo.tsx'
import { repoSettingsQuery } from './repo-settings.graphql.ts'
import { SettingsForm } from './settings-form.tsx'

interface Params {
  readonly owner: string
  readonly repo: string
}

export function Page({ params }: { readonly params: Params }) {
  const [answer, again] = useQuery({ query: repoSettingsQuery, variables: { ...params } })
  const { value: repo, error } = rootField(answer, 'repo')
  const canWrite = useCanWrite(params.owner)
  return (
    <RepoFrame params={params} part="Settings" head={repo} error={error} retry={again}>
      {repo && !canWrite && (
        <Empty title="These settings are not yours to change">
          <p>Sign in as the owner of the repo, or as a member of their organization.</p>
        </Empty>
      )}
      {repo && canWrite && (
        <div className="stack">
          <SettingsForm key={repo.id} head={repo} />
          <DeleteRepo fullName={repo.fullName} {...repo.fileSummary} />
        </div>
      )}
    </RepoFrame>
  )
}

/** The check of the data set by a worker: its report stands on the repo, and who may write asks for another one. */
import { useEffect } from 'react'
import { useMutation, useQuery } from 'urql'
import { counted } from '../../../ui/format.ts'
import { messageOf } from '../../../ui/problem.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { useCanWrite } from '../repo-frame.tsx'
import { CheckReport } from './check-report.tsx'
import { type DatasetCheckQuery, datasetCheckQuery, requestDatasetCheckMutation } from './dataset-check.graphql.ts'
import { shownReport } from './shown-report.ts'

type Check = NonNullable<NonNullable<DatasetCheckQuery['repo']>['datasetCheck']>

/** Between two looks at a check that waits or runs. */
const LOOK_MS = 3000

export function StandingCheck({ owner, repo }: { readonly owner: string; readonly repo: string }) {
  const canWrite = useCanWrite(owner)
  const [{ data, error }, again] = useQuery({ query: datasetCheckQuery, variables: { owner, repo } })
  const [{ fetching }, request] = useMutation(requestDatasetCheckMutation)
  const toast = useToast()
  const check = data?.repo?.datasetCheck ?? null
  const isOpen = check?.status === 'QUEUED' || check?.status === 'RUNNING'
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(() => again({ requestPolicy: 'network-only' }), LOOK_MS)
    return () => clearInterval(timer)
  }, [isOpen, again])
  if (!canWrite && !check && !error) return null
  const ask = async () => {
    const answer = await request({ input: { owner, repo } })
    toast(answer.error ? messageOf(answer.error) : 'A worker checks it.')
    again({ requestPolicy: 'network-only' })
  }
  return (
    <div className="stack">
      {error && <ErrorNotice error={error} retry={() => again({ requestPolicy: 'network-only' })} />}
      {canWrite && (
        <div className="row">
          <button type="button" className="button" disabled={fetching || isOpen} onClick={() => void ask()}>
            Have a worker check it
          </button>
        </div>
      )}
      {check && (
        <p role="status" className="dim">
          {stateOf(check)}
        </p>
      )}
      {check?.report && (
        <>
          <p className="dim">
            Report of change {check.reportSeq}, <Time at={check.reportAt} />
            {check.isOutdated && '; the files have changed since'}
          </p>
          <CheckReport owner={owner} repo={repo} report={shownReport(check.report)} />
          {check.report.omitted.map((one) => (
            <p key={one} className="dim">
              {one}
            </p>
          ))}
        </>
      )}
    </div>
  )
}

function stateOf({ status, episodesDone, episodesTotal, error, worker }: Check): string {
  if (status === 'QUEUED') return 'It waits for a worker: hub check-worker takes it.'
  if (status === 'FAILED') return `The check failed: ${error}`
  if (status !== 'RUNNING') return ''
  const by = worker === null ? 'A worker' : worker
  if (episodesTotal === null) return `${by} checks it.`
  return `${by} has checked ${episodesDone} of ${counted(episodesTotal, 'episode')}.`
}

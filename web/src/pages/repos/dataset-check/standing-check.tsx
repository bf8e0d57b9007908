/** The check of the data set by a worker: its report stands on the repo; people who can write ask for another one. */
import { useMutation } from 'urql'
import { counted } from '../../../ui/format.ts'
import { messageOf } from '../../../ui/problem.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { usePoll } from '../../../ui/use-poll.ts'
import { useReading } from '../../../ui/use-reading.ts'
import { useCanWrite } from '../repo-frame.tsx'
import { type DatasetCheckQuery, datasetCheckQuery, requestDatasetCheckMutation } from './dataset-check.graphql.ts'
import { StandingReport } from './standing-report.tsx'

type Check = NonNullable<NonNullable<DatasetCheckQuery['repo']>['datasetCheck']>

/** Between two looks at a check that waits or runs. */
const LOOK_MS = 3000

interface Props {
  readonly owner: string
  readonly repo: string
  readonly isLeRobot: boolean
}

export function StandingCheck({ owner, repo, isLeRobot }: Props) {
  const canWrite = useCanWrite(owner)
  const [{ data, error }, look] = useReading({ query: datasetCheckQuery, variables: { owner, repo } })
  const [{ fetching }, request] = useMutation(requestDatasetCheckMutation)
  const toast = useToast()
  const check = data?.repo?.datasetCheck ?? null
  const isOpen = check?.status === 'QUEUED' || check?.status === 'RUNNING'
  usePoll(() => {
    if (isOpen) look()
  }, LOOK_MS)
  if (!canWrite && !check && !error) return null
  const ask = async () => {
    const answer = await request({ input: { owner, repo } })
    toast(answer.error ? messageOf(answer.error) : 'The check is asked for.')
    look()
  }
  return (
    <div className="stack">
      {error && <ErrorNotice error={error} retry={look} />}
      {canWrite && !isLeRobot && (
        <p className="dim">
          Workers check data sets of LeRobot, which have a meta/info.json; check other recordings here, or with hub data
          check.
        </p>
      )}
      {canWrite && isLeRobot && (
        <div className="row">
          <button type="button" className="button" disabled={fetching || isOpen} onClick={() => void ask()}>
            Have a worker check it
          </button>
        </div>
      )}
      {data === undefined && !error && <Loading />}
      {check && check.status !== 'SUCCEEDED' && (
        <p role="status" className="dim">
          {stateOf(check)} (asked <Time at={check.requestedAt} />)
        </p>
      )}
      {check?.reportAt && (
        <StandingReport key={check.reportAt} owner={owner} repo={repo} isOutdated={check.isOutdated} />
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

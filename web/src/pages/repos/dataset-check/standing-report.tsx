/** The report of the last check of a worker that succeeded. */
import { useQuery } from 'urql'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { CheckReport } from './check-report.tsx'
import { datasetReportQuery } from './dataset-check.graphql.ts'
import { shownReport } from './shown-report.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly isOutdated: boolean
}

/** Of up to 1 MiB: mounted again for another report, and not asked for while a check runs. */
export function StandingReport({ owner, repo, isOutdated }: Props) {
  const [{ data, error }, again] = useQuery({
    query: datasetReportQuery,
    variables: { owner, repo },
    requestPolicy: 'network-only',
  })
  const check = data?.repo?.datasetCheck
  if (error) return <ErrorNotice error={error} retry={() => again({ requestPolicy: 'network-only' })} />
  if (data === undefined) return <Loading />
  if (!check?.report) return null
  return (
    <>
      <p className="dim">
        Report of change {check.reportSeq}, <Time at={check.reportAt} />
        {isOutdated && '; the files have changed since'}
      </p>
      <CheckReport
        owner={owner}
        repo={repo}
        report={shownReport(check.report)}
        command={`hub data report ${owner}/${repo} --json`}
      />
      {check.report.omitted.map((one) => (
        <p key={one} className="dim">
          {one}
        </p>
      ))}
    </>
  )
}

/** The report of the last check of a worker that succeeded. */
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useReading } from '../../../ui/use-reading.ts'
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
  const [{ data, error }, again] = useReading({
    query: datasetReportQuery,
    variables: { owner, repo },
    requestPolicy: 'network-only',
  })
  const check = data?.repo?.datasetCheck
  if (data === undefined) return error ? <ErrorNotice error={error} retry={again} /> : <Loading />
  if (!check?.report) return null
  return (
    <>
      {error && <ErrorNotice error={error} retry={again} />}
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

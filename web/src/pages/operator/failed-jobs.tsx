/** Background jobs that failed for good. */
import { Action } from '../../ui/action.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { failedJobsQuery, retryFailedJobMutation } from './operator.graphql.ts'

export function FailedJobs() {
  const [answer, refresh] = useReading({ query: failedJobsQuery })
  const { value: jobs, error } = rootField(answer, 'failedJobs')
  return (
    <section className="panel stack" aria-label="Jobs that failed">
      <h2>Jobs that failed</h2>
      {error && <ErrorNotice error={error} retry={refresh} />}
      {!jobs && !error && <Loading lines={2} />}
      {jobs?.length === 0 && <p className="dim">No background job has failed for good in the last seven days.</p>}
      {jobs && jobs.length > 0 && (
        <div className="table-wrap">
          <table>
            <thead>
              <tr>
                <th>Job</th>
                <th>Failed</th>
                <th>Error</th>
                <th>
                  <span className="visually-hidden">Retry</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {jobs.map((job) => (
                <tr key={job.id}>
                  <td>{job.queue}</td>
                  <td className="nowrap">
                    <Time at={job.failedAt} />
                    <div className="dim small">attempt {job.attempts}</div>
                  </td>
                  <td>{job.error}</td>
                  <td className="right">
                    <Action
                      mutation={retryFailedJobMutation}
                      variables={{ input: { id: job.id } }}
                      title="Retry"
                      done="The job was sent again."
                      className="button small"
                      finished={refresh}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

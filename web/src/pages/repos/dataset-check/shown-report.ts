/** The report of a worker as the page of a check shows it. Pure. */
import type { DatasetReport } from '@hub/dataset/check-dataset'
import type { DatasetReportQuery } from './dataset-check.graphql.ts'

type Stored = NonNullable<NonNullable<NonNullable<DatasetReportQuery['repo']>['datasetCheck']>['report']>

/** What a page shows of a report. */
export interface ShownReport extends Pick<DatasetReport, 'episodes' | 'frames' | 'unchecked'> {
  readonly findings: readonly (Pick<DatasetReport['findings'][number], 'severity' | 'episode' | 'frame'> &
    Readonly<Record<'code' | 'place' | 'detail', string>>)[]
  readonly counts: Readonly<Record<string, number>>
  readonly summary: Pick<DatasetReport['summary'], 'lengths' | 'tasks' | 'joints'>
}

/** Of the graph, whose words are in capitals. */
export function shownReport({ findings, counts, summary, ...report }: Stored): ShownReport {
  return {
    ...report,
    findings: findings.map((one) => ({ ...one, severity: one.severity === 'ERROR' ? 'error' : 'warning' })),
    counts: Object.fromEntries(Object.entries(Object(counts)).map(([code, count]) => [code, Number(count)])),
    summary: { ...summary, joints: summary.joints.map((one) => ({ ...one, place: one.place ?? '' })) },
  }
}

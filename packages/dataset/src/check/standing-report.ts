/** The report of a check as it stands on a repo: of a bounded size, and it says what it leaves out. Pure. */
import type { DatasetReport } from './check-dataset.ts'
import type { ReadVideos, TriedPictures } from './check-videos.ts'
import type { DatasetSummary } from './coverage.ts'
import { type Finding, findingKinds } from './finding.ts'

/** As a worker sends it: every name is the same in both APIs. */
export interface StandingReport extends Omit<DatasetReport, 'summary' | 'videos' | 'pictures'> {
  /** All findings of each severity. */
  readonly errors: number
  readonly warnings: number
  /** What is left out, in words. */
  readonly omitted: readonly string[]
  readonly summary: Pick<DatasetSummary, 'lengths' | 'frames' | 'tasks' | 'joints'>
}

/** The hub takes 1 MiB. */
const MAX_BYTES = 900_000
/** The hub takes 1000 of them; one that is cut has its first ones of each kind. */
const MAX_FINDINGS = 1000
const OF_A_KIND = [100, 40, 20, 10, 5, 2, 1]
const MAX_UNCHECKED = 200
const MAX_WORDS = 1000

/** The report with as much as fits. */
export function standingReport(report: DatasetReport, maxBytes = MAX_BYTES): StandingReport {
  const { findings, counts, summary, videos: _, pictures: __, ...told } = report
  const unchecked = notChecked(report)
  const bySeverity = { error: 0, warning: 0 }
  for (const [code, severity] of Object.entries(findingKinds))
    bySeverity[severity] += counts[code as keyof typeof counts] ?? 0
  const all = bySeverity.error + bySeverity.warning
  const made = (ofAKind: number): StandingReport => {
    const kept = firstOfAKind(findings, ofAKind)
    const { lengths, frames, tasks, joints } = summary
    return {
      ...told,
      counts,
      ...{ errors: bySeverity.error, warnings: bySeverity.warning },
      findings: kept.map((finding) => ({ ...finding, detail: cut(finding.detail), place: cut(finding.place) })),
      unchecked: unchecked.slice(0, MAX_UNCHECKED).map(cut),
      omitted: [
        ...leftOut('findings', all - kept.length, all),
        ...leftOut('things that were not checked', unchecked.length - MAX_UNCHECKED, unchecked.length),
        ...leftOut('tasks', summary.moreTasks, tasks.length + summary.moreTasks),
        ...leftOut('joints', summary.moreJoints, joints.length + summary.moreJoints),
      ],
      summary: { lengths, frames, tasks: tasks.map((one) => ({ ...one, task: cut(one.task) })), joints },
    }
  }
  const fits = (one: StandingReport) => one.findings.length <= MAX_FINDINGS && sizeOf(one) <= maxBytes
  return OF_A_KIND.map(made).find(fits) ?? made(0)
}

/** All that was not looked at, in words: of videos too. */
export const notChecked = ({ videos, pictures, unchecked }: DatasetReport): string[] => [
  ...videoNotes(videos ?? {}, pictures),
  ...unchecked,
]

/** What was not tried of videos, by their codecs, and by why not where a decoder was there. */
function videoNotes({ unread = 0, ...read }: ReadVideos, pictures?: TriedPictures): string[] {
  const codecs = Object.entries(read).map(([codec, files]) => `${files} of ${codec}`)
  const files = `videos (${codecs.join(', ')})`
  const skipped = Object.entries(pictures?.skipped ?? {})
  const parts = skipped.reduce((sum, [, count]) => sum + count, pictures?.decoded ?? 0)
  const untried = skipped.map(
    ([why, count]) => `pictures of ${files}: not decoded for ${count} of ${parts} episodes in them: ${why}`,
  )
  return [
    ...(codecs.length > 0 && !pictures ? [`pictures of ${files}: their frames were listed, not decoded`] : []),
    ...untried,
    ...(unread > 0 ? [`${unread} videos that are broken or no MP4: their frames were not listed`] : []),
  ]
}

const leftOut = (what: string, count: number, all: number) =>
  count > 0 ? [`${count} of ${all} ${what} are not in this report: hub data check shows more of them.`] : []

function firstOfAKind(findings: readonly Finding[], count: number): Finding[] {
  const seen = new Map<string, number>()
  return findings.filter(({ code }) => {
    const before = seen.get(code) ?? 0
    seen.set(code, before + 1)
    return before < count
  })
}

/** NUL and half of a pair are not text that the hub can keep. */
function cut(text: string): string {
  const sound = text.replaceAll('\0', '\uFFFD').toWellFormed()
  return sound.length <= MAX_WORDS ? sound : `${sound.slice(0, MAX_WORDS - 1).toWellFormed()}…`
}

const sizeOf = (report: StandingReport) => new TextEncoder().encode(JSON.stringify(report)).length

/** The report of a data set as text. */

import type { DatasetReport, Finding } from '@hub/dataset/check-dataset'
import { marks } from '@hub/mjcf/folder/model-text'
import { countText } from './client-output.ts'
import { inLine } from './terminal.ts'

/** Longer lists are cut; `--json` has all that the report has. */
const MOST_LINES = 200

/** Whether training on the data set is wrong or impossible. */
export const hasError = ({ findings }: DatasetReport): boolean => findings.some(({ severity }) => severity === 'error')

/** What the data set is, then its findings by episode and frame, then how many there are. */
export function dataText(what: string, report: DatasetReport): string {
  const { findings, counts, unchecked } = report
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const lines = [
    ...about(what, report),
    ...findings.toSorted(byPlace).slice(0, MOST_LINES).map(findingLine),
    ...unchecked.slice(0, MOST_LINES).map((text) => `${marks.skip.sign} not checked: ${text}`),
  ]
  const shown = Math.min(findings.length, MOST_LINES)
  if (all > shown) lines.push(`${all - shown} more: ${countsText(counts)}`)
  lines.push(all === 0 ? 'Nothing is wrong with it.' : `${countText(all, 'finding')}: ${countsText(counts)}`)
  return lines.map((line) => `${inLine(line)}\n`).join('')
}

function about(what: string, { layout, version, episodes, frames, fps, summary }: DatasetReport): string[] {
  if (version === null) return [`${what}: no data set of LeRobot`]
  const rate = fps === null ? '' : ` at ${Number(fps.toPrecision(4))} a second`
  const form = layout === null ? version : `LeRobot ${version}`
  const head = `${what}: ${form}, ${countText(episodes, 'episode')}, ${countText(frames, 'frame')}${rate}`
  const tasks = summary.tasks.slice(0, 10).map(({ task, episodes: of }) => `  ${task}: ${countText(of, 'episode')}`)
  const more = summary.tasks.length > 10 ? [`  and ${countText(summary.tasks.length - 10, 'other task')}`] : []
  return [head, ...tasks, ...more]
}

const countsText = (counts: DatasetReport['counts']) =>
  Object.entries(counts)
    .map(([code, count]) => `${count} ${code}`)
    .join(', ')

/** Those of the data set first. */
const byPlace = (a: Finding, b: Finding) => (a.episode ?? -1) - (b.episode ?? -1) || (a.frame ?? -1) - (b.frame ?? -1)

function findingLine({ severity, code, episode, frame, place, detail }: Finding): string {
  const { sign } = severity === 'error' ? marks.fail : marks.warn
  const at = episode === null ? '' : `episode ${episode}${frame === null ? '' : `, frame ${frame}`}, `
  return `${sign} ${code}: ${at}${place}: ${detail}`
}

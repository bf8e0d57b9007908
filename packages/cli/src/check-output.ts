/** Text output of robot and model checks. */

import type { RemoteCheck, RemoteNeed, ReportedCheck } from '@hub/client/internal'
import { marks } from '@hub/mjcf/folder/model-text'
import type { CheckStatus } from '@hub/mjcf/verdict/check'
import { answeringFlag } from './check-answers.ts'
import { countText, exitCode } from './client-output.ts'
import { inLine } from './terminal.ts'

/** One line of a list. */
export function checkRow(check: RemoteCheck): string {
  const verdict = check.report?.grade ?? ''
  return `${inLine(`${check.id}  ${check.status.padEnd(9)} ${verdict.padEnd(4)}  ${subjectOf(check)}`)}\n`
}

/** Ended without a verdict: failed. With something that keeps it from being published: blocked. */
export function checkExitCode({ status, publish_blockers: blockers, published }: RemoteCheck): number {
  if (status === 'failed' || status === 'canceled') return exitCode.failed
  return status === 'succeeded' && !published && blockers.length > 0 ? exitCode.blocked : exitCode.ok
}

/**
 * The facts, what the report found, what the draft needs with the option that answers it, and why it would not be
 * published.
 */
export function checkText(check: RemoteCheck): string {
  const facts: readonly (readonly [string, string | null])[] = [
    ['check', check.id],
    ['status', check.published ? `${check.status}, published` : check.status],
    [check.kind, subjectOf(check)],
    ['robot', check.kind === 'model' ? (check.robot_repo?.full_name ?? null) : null],
    ['worker', check.claimed_by],
    ['report', check.report && reportLine(check.report)],
    ['error', check.error],
  ]
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(8)} ${value}`]))
  lines.push(...(check.report?.checks ?? []).flatMap(resultLines))
  lines.push(...needLines(check))
  lines.push(...nextLines(check))
  return lines.map((line) => `${inLine(line)}\n`).join('')
}

const subjectOf = ({ robot_repo: robot, model_repo: model, entry, kind }: RemoteCheck) =>
  [(kind === 'model' ? model : robot)?.full_name, entry].filter(Boolean).join(' ')

function reportLine({ grade, checks, engine }: NonNullable<RemoteCheck['report']>): string {
  const count = (wanted: string) => checks.filter(({ status }) => status === wanted).length
  const found = [`${count('fail')} failed`, countText(count('warn'), 'warning'), `${count('skip')} skipped`]
  return `${grade}: ${countText(checks.length, 'check')} by ${engine}, ${found.join(', ')}`
}

function resultLines({ code, status, message, hint }: ReportedCheck): string[] {
  if (status !== 'fail' && status !== 'warn') return []
  return [`  ${marks[status as CheckStatus].sign} ${code}: ${message}`, ...(hint === null ? [] : [`      → ${hint}`])]
}

function needLines({ draft }: RemoteCheck): string[] {
  const needs = draft?.needs_you ?? []
  const blocking = needs.filter(({ severity }) => severity === 'blocking')
  const advice = needs.filter(({ severity }) => severity !== 'blocking')
  return [...section('needs an answer', blocking, '✗'), ...section('advice', advice, '!')]
}

function section(title: string, needs: readonly RemoteNeed[], sign: string): string[] {
  return needs.length === 0 ? [] : [title, ...needs.flatMap((need) => oneNeed(need, sign))]
}

function oneNeed({ field, why, suggestion }: RemoteNeed, sign: string): string[] {
  const flag = answeringFlag(field)
  return [
    `  ${sign} ${field}: ${why}`,
    ...(suggestion === null ? [] : [`      → ${suggestion}`]),
    ...(flag === null ? [] : [`      answer: ${flag}`]),
  ]
}

function nextLines({ id, status, published, publish_blockers: blockers }: RemoteCheck): string[] {
  if (status !== 'succeeded' || published) return []
  if (blockers.length > 0) return ['cannot be published', ...blockers.map((why) => `  ✗ ${why}`)]
  return [`publish  hub publish ${id}`]
}

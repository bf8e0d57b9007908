/** Text output of a checked model. */
import { styleText } from 'node:util'
import { countText, sizeText } from '@hub/text/amounts'
import { inLineColored } from '@hub/text/terminal-text'
import type { ModelJoint } from '../reading.ts'
import type { Check, CheckFault, CheckStatus } from '../verdict/check.ts'
import { isRefused } from '../verdict/model-checks.ts'
import type { CheckedModel } from './check-model.ts'

type Style = Parameters<typeof styleText>[0]
/** Applies a style; returns the text unchanged if the output is not a terminal. */
export type Paint = (style: Style, text: string) => string

/** How the result of a check looks. */
export const marks: Readonly<Record<CheckStatus, { readonly sign: string; readonly style: Style }>> = {
  pass: { sign: '✓', style: 'green' },
  warn: { sign: '!', style: 'yellow' },
  fail: { sign: '✗', style: 'red' },
  skip: { sign: '–', style: 'gray' },
}

/** Longer lists of files or joints are cut to this many lines; `--json` lists all. */
const MAX_LINES = 60

/** Uses colors if `stream` is a terminal that supports them (`NO_COLOR`, `FORCE_COLOR`). */
export function paintFor(stream: unknown): Paint {
  return (style, text) => (isTerminal(stream) ? styleText(style, text, { stream, validateStream: true }) : text)
}

const isTerminal = (stream: unknown): stream is NodeJS.WriteStream => (stream as { isTTY?: boolean }).isTTY === true

/** Model, base, joints, keyframes and files, then every check with its hint, then a one-line summary. */
export function modelText(model: CheckedModel, paint: Paint): string {
  const { report, reading, notes } = model
  const lines = isRefused(reading)
    ? [`${reading.entry}: MuJoCo does not compile this model.`]
    : [...aboutModel(model, paint)]
  lines.push('', ...checkLines(report.checks, paint))
  for (const note of notes) lines.push(`  ${paint('yellow', '!')} ${note}`)
  return `${lines.map(inLineColored).join('\n')}\n\n${conclusion(report.checks, paint)}\n`
}

function* aboutModel({ report, reading, sizes }: CheckedModel, paint: Paint): Iterable<string> {
  yield `${reading.entry}: ${reading.format === 'urdf' ? 'URDF' : 'MJCF'} model ${paint('bold', report.model || '(unnamed)')}, base ${report.base ?? 'unknown'}`
  const types = new Map(reading.joints.map(({ name, type }) => [name, type]))
  const widest = Math.max(0, ...report.joints.map((name) => name.length))
  yield `  joints (${[report.joints.length, ...otherJoints(reading.joints)].join(', ')})`
  yield* capped(report.joints.map((name) => `    ${name.padEnd(widest)}  ${paint('gray', types.get(name) ?? '')}`))
  if (report.keyframes.length > 0) yield `  keyframes: ${report.keyframes.join(', ')}`
  const bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  yield `  files (${report.files.length}, ${sizeText(bytes)})`
  yield* capped(
    report.files.map((path, index) => `    ${paint('gray', sizeText(sizes[index] ?? 0).padStart(8))}  ${path}`),
  )
}

/** Counts, by kind, of the joints that a policy cannot address by name. */
function otherJoints(joints: readonly ModelJoint[]): string[] {
  const count = (kind: string, wanted: (joint: ModelJoint) => boolean) => {
    const found = joints.filter(wanted).length
    return found > 0 ? [`${found} ${kind}`] : []
  }
  return [
    ...count('free', ({ type }) => type === 'free'),
    ...count('ball', ({ type }) => type === 'ball'),
    ...count('unnamed', ({ type, name }) => name === null && (type === 'hinge' || type === 'slide')),
  ]
}

function capped(lines: readonly string[]): string[] {
  if (lines.length <= MAX_LINES) return [...lines]
  return [...lines.slice(0, MAX_LINES - 1), `    … and ${lines.length - MAX_LINES + 1} more`]
}

function checkLines(checks: readonly Check[], paint: Paint): string[] {
  const widest = Math.max(0, ...checks.map(({ code }) => code.length))
  return checks.flatMap((check) => {
    const { sign, style } = marks[check.status]
    const head = `  ${paint(style, sign)} ${check.code.padEnd(widest)}  `
    const faults = (check.data?.faults ?? []) as readonly CheckFault[]
    if (faults.length > 0) return [`${head}${countText(faults.length, 'fault')}:`, ...faultLines(faults, paint)]
    return [`${head}${check.message}`, ...(check.hint === null ? [] : [hintLine(check.hint, paint)])]
  })
}

/** A hint shared by consecutive faults is printed once, after the last of them. */
function faultLines(faults: readonly CheckFault[], paint: Paint): string[] {
  return faults.flatMap(({ message, hint }, index) => {
    const isLast = faults[index + 1]?.hint !== hint
    return [`      ${message}`, ...(hint !== null && isLast ? [hintLine(hint, paint)] : [])]
  })
}

const hintLine = (hint: string, paint: Paint) => `      ${paint('cyan', '→')} ${hint}`

function conclusion(checks: readonly Check[], paint: Paint): string {
  const count = (wanted: CheckStatus) => checks.filter(({ status }) => status === wanted).length
  const [failed, warned, skipped] = [count('fail'), count('warn'), count('skip')]
  const suffix = skipped > 0 ? `, ${skipped} skipped` : ''
  if (failed > 0) return paint('red', `${countText(failed, 'check')} failed${suffix}.`)
  if (warned > 0) return paint('yellow', `Passed with ${countText(warned, 'warning')}${suffix}.`)
  return paint('green', `All ${count('pass')} checks passed${suffix}.`)
}

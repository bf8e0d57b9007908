/** A checked model as lines for a person. */
import { styleText } from 'node:util'
import type { Check, CheckFault, CheckStatus } from '../cards/check.ts'
import { isRefused } from '../cards/model-checks.ts'
import type { ModelJoint } from '../models/mjcf/reading.ts'
import type { CheckedModel } from './check-model.ts'
import { countText, sizeText } from './client-output.ts'
import { inLineColored } from './terminal.ts'

type Style = Parameters<typeof styleText>[0]
/** Writes a text in a style, or as it is where the output is no terminal. */
export type Paint = (style: Style, text: string) => string

const marks: Readonly<Record<CheckStatus, { readonly sign: string; readonly style: Style }>> = {
  pass: { sign: '✓', style: 'green' },
  warn: { sign: '!', style: 'yellow' },
  fail: { sign: '✗', style: 'red' },
  skip: { sign: '–', style: 'gray' },
}

/** Files and joints past this many are counted; `--json` lists all. */
const MAX_LINES = 60

/** Colours where `stream` is a terminal that wants them (`NO_COLOR`, `FORCE_COLOR`). */
export function paintFor(stream: unknown): Paint {
  return (style, text) => (isTerminal(stream) ? styleText(style, text, { stream, validateStream: true }) : text)
}

const isTerminal = (stream: unknown): stream is NodeJS.WriteStream => (stream as { isTTY?: boolean }).isTTY === true

/** Model, base, joints, keyframes and files, then every check with what to do about it, then one line that says it all. */
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
    report.files.map((path, place) => `    ${paint('gray', sizeText(sizes[place] ?? 0).padStart(8))}  ${path}`),
  )
}

/** Those that no policy can drive by name, counted by kind. */
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

/** A hint that several faults in a row share stands once, after the last of them. */
function faultLines(faults: readonly CheckFault[], paint: Paint): string[] {
  return faults.flatMap(({ message, hint }, place) => {
    const isLast = faults[place + 1]?.hint !== hint
    return [`      ${message}`, ...(hint !== null && isLast ? [hintLine(hint, paint)] : [])]
  })
}

const hintLine = (hint: string, paint: Paint) => `      ${paint('cyan', '→')} ${hint}`

function conclusion(checks: readonly Check[], paint: Paint): string {
  const count = (wanted: CheckStatus) => checks.filter(({ status }) => status === wanted).length
  const [failed, warned, skipped] = [count('fail'), count('warn'), count('skip')]
  const aside = skipped > 0 ? `, ${skipped} skipped` : ''
  if (failed > 0) return paint('red', `${countText(failed, 'check')} failed${aside}.`)
  if (warned > 0) return paint('yellow', `Good, with ${countText(warned, 'warning')}${aside}.`)
  return paint('green', `All ${count('pass')} checks passed${aside}.`)
}

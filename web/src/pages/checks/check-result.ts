/** What a check came to, in one word for the reader: how the job ended matters only where it came to nothing. Pure. */
import { words } from '../../ui/format.ts'

type Grade = 'PASS' | 'WARN' | 'FAIL'

interface Ended {
  readonly status: string
  readonly report: { readonly grade: string } | null
}

interface Result {
  /** Of `Status`: sets the color. */
  readonly tone: string
  readonly text: string
}

const texts: Readonly<Record<Grade, string>> = { PASS: 'passes', WARN: 'passes with warnings', FAIL: 'fails' }
const isGrade = (grade: string): grade is Grade => Object.hasOwn(texts, grade)

/** The verdict of a check that has one, else its status. */
export function resultOf({ status, report }: Ended): Result {
  if (status !== 'SUCCEEDED' || report === null || !isGrade(report.grade)) return { tone: status, text: words(status) }
  return { tone: report.grade, text: texts[report.grade] }
}

const order = ['FAIL', 'WARN', 'SKIP', 'PASS']

/** Failures first, then warnings, then what did not run; rows of one kind keep their order. */
export const worstFirst = <Row extends { readonly status: string }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))

/** `2 failed, 1 with a warning, 3 did not run, 4 passed.` What there is none of is left out. */
export function countsOf(rows: readonly { readonly status: string }[]): string {
  const said: readonly (readonly [string, string])[] = [
    ['FAIL', 'failed'],
    ['WARN', 'with a warning'],
    ['SKIP', 'did not run'],
    ['PASS', 'passed'],
  ]
  const parts = said.flatMap(([status, text]) => {
    const number = rows.filter((row) => row.status === status).length
    return number === 0 ? [] : [`${number} ${text}`]
  })
  return `${parts.join(', ')}.`
}

/** What a push left out, as lines for a person. */
import type { LeftOut } from '@hub/client/internal'
import { countText } from './client-output.ts'
import { inLine } from './terminal.ts'

const MOST_NAMES = 5

const named = (paths: readonly string[]) =>
  inLine(paths.slice(0, MOST_NAMES).join(', ')) +
  (paths.length > MOST_NAMES ? ` and ${paths.length - MOST_NAMES} more` : '')

/** One line a reason; every credential is named. */
export function leftOutLines(leftOut: readonly LeftOut[]): string {
  const of = (reason: LeftOut['reason']) => leftOut.filter((one) => one.reason === reason).map(({ path }) => path)
  const [secret, built, ignored] = [of('secret'), of('built'), of('ignored')]
  let text = ''
  if (secret.length > 0) {
    const rows = secret.map((path) => `  ${inLine(path)}\n`).join('')
    text += `hub: warning: ${countText(secret.length, 'file')} that may hold credentials left out (--include-secrets sends them):\n${rows}`
  }
  if (built.length > 0) text += `hub: left out build and cache folders: ${named(built)}\n`
  if (ignored.length > 0) text += `hub: left out by ignore files (--no-ignore sends them): ${named(ignored)}\n`
  return text
}

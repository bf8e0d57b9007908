/** What standard output can show. */
import type { ClientIo } from './client-output.ts'

export interface Screen {
  readonly isTerminal: boolean
  /** https://no-color.org: any text in NO_COLOR means no colors. */
  readonly isColored: boolean
  /** Characters of a line; 80 where that is not known. */
  readonly width: number
  readonly height: number
}

/** As it is now: a window may change its size. */
export function screenOf({ stdout, env }: Pick<ClientIo, 'stdout' | 'env'>): Screen {
  const isTerminal = stdout.isTTY === true
  return {
    isTerminal,
    isColored: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
    width: stdout.columns ?? 80,
    height: stdout.rows ?? 24,
  }
}

const codes = { cyan: 36, green: 32, red: 31, dim: 2, bold: 1 } as const

/** The text in a color, unchanged where there are none. Printed with `printColored`. */
export const painted = ({ isColored }: Screen, color: keyof typeof codes, text: string): string =>
  isColored && text !== '' ? `\x1b[${codes[color]}m${text}\x1b[0m` : text

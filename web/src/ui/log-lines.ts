/**
 * Lines of a log as a page keeps them: the newest ones, with the number of the first, and those that a search finds.
 * Pure.
 */

export interface LogLine {
  readonly text: string
  /** What stands at its left in place of its number: the time of a line, or nothing. */
  readonly mark: string
}

export interface LogLines {
  /** Of the first line that is kept, from 1. */
  readonly first: number
  readonly lines: readonly LogLine[]
  /** Of all kept lines together. */
  readonly chars: number
}

interface Kept {
  readonly lines: number
  readonly chars: number
}

/** Together some 30 MB of a page; the whole log can be downloaded. */
const KEPT: Kept = { lines: 50_000, chars: 20_000_000 }
/** More of one line takes a browser seconds to lay out. */
const LINE_CHARS = 4_000

export const noLines: LogLines = { first: 1, lines: [], chars: 0 }

export function withLines(log: LogLines, added: readonly LogLine[], kept = KEPT): LogLines {
  const all = [...log.lines, ...added]
  let chars = added.reduce((sum, { text }) => sum + text.length, log.chars)
  let dropped = Math.max(0, all.length - kept.lines)
  for (const { text } of all.slice(0, dropped)) chars -= text.length
  for (; chars > kept.chars && dropped < all.length - 1; dropped += 1) chars -= all[dropped]?.text.length ?? 0
  return { first: log.first + dropped, lines: dropped > 0 ? all.slice(dropped) : all, chars }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const terminalCommands = /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)/g

/** A line without what a terminal obeys and does not show: links, window titles, device commands. Colors stay. */
const withoutCommands = (line: string): string => line.replace(terminalCommands, '')

/**
 * A line as a terminal leaves it: without commands, and a progress bar that was drawn over itself is what was drawn
 * last. Very long ones are cut.
 */
export function asShown(received: string): string {
  const line = withoutCommands(received)
  const last = line.trimEnd().lastIndexOf('\r')
  const text = last < 0 ? line : copied(line.slice(last + 1))
  if (text.length <= LINE_CHARS) return text
  const more = (text.length - LINE_CHARS).toLocaleString('en-US')
  return `${copied(text.slice(0, LINE_CHARS))} … ${more} more characters`
}

/** A part of a text is kept by engines as a view of the whole, which would stay in memory. */
const copied = (part: string): string => JSON.parse(JSON.stringify(part)) as string

/** The lines that contain a text, by their numbers. */
export interface LogSearch {
  readonly wanted: string
  /** Number of the first line that was not looked at. */
  readonly next: number
  readonly found: readonly number[]
}

export const noSearch: LogSearch = { wanted: '', next: 1, found: [] }

/**
 * What `wanted` finds, case apart. Only lines that came since `before` are looked at, so that a search keeps up with a
 * log that grows. `plain`: a text without colors.
 */
export function searched(before: LogSearch, log: LogLines, wanted: string, plain: (text: string) => string): LogSearch {
  const { next, found } = before.wanted === wanted ? before : { next: 1, found: [] }
  const text = wanted.toLowerCase()
  const end = log.first + log.lines.length
  const added: number[] = []
  for (let number = Math.max(next, log.first); number < end; number += 1)
    if (
      plain(log.lines[number - log.first]?.text ?? '')
        .toLowerCase()
        .includes(text)
    )
      added.push(number)
  const kept = found.findIndex((number) => number >= log.first)
  return { wanted, next: end, found: [...(kept < 0 ? [] : found.slice(kept)), ...added] }
}

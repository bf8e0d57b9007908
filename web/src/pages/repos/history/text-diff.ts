/** What differs between two texts: lines side by side, and the words within those that were changed. Pure. */
import { diffWordsWithSpace, structuredPatch } from 'diff'

interface DiffPart {
  readonly text: string
  readonly isChanged: boolean
}

export interface DiffLine {
  /** From 1. */
  readonly number: number
  readonly parts: readonly DiffPart[]
  /** Set for a last line without a line end. */
  readonly isOpen: boolean
}

/** Both sides of a row are the same line, or one replaces the other; null where there is none. */
export interface DiffRow {
  readonly isSame: boolean
  readonly before: DiffLine | null
  readonly after: DiffLine | null
}

export interface TextDiff {
  /** Each with some lines around its changes, in order. */
  readonly hunks: readonly { readonly rows: readonly DiffRow[] }[]
  readonly added: number
  readonly removed: number
}

/** Unchanged lines around a change. */
const CONTEXT = 3
/** Two long texts without a line in common take as much time as the product of their lines. */
const MOST_MS = 5000
/** Longer lines are compared as a whole: data, not words. */
const MOST_WORDS_CHARACTERS = 2000
const MOST_WORD_MS = 50

/** Null where the texts are too different to be compared in time. */
export function diffTexts(before: string, after: string): TextDiff | null {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: CONTEXT, timeout: MOST_MS })
  if (!patch) return null
  const hunks = patch.hunks.map((hunk) => ({ rows: rowsOf(hunk) }))
  const rows = hunks.flatMap((hunk) => hunk.rows).filter(({ isSame }) => !isSame)
  return {
    hunks,
    added: rows.filter(({ after }) => after !== null).length,
    removed: rows.filter(({ before }) => before !== null).length,
  }
}

interface Hunk {
  readonly oldStart: number
  readonly newStart: number
  readonly lines: readonly string[]
}

interface RawLine {
  readonly number: number
  readonly text: string
  isOpen: boolean
}

/** A removed line stands beside the one that was added in its place, in their order. */
function rowsOf({ oldStart, newStart, lines }: Hunk): DiffRow[] {
  const rows: DiffRow[] = []
  const removed: RawLine[] = []
  const added: RawLine[] = []
  let [oldLine, newLine] = [oldStart, newStart]
  let last: readonly RawLine[] = []
  const pair = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) rows.push(changedRow(removed[at], added[at]))
    removed.length = 0
    added.length = 0
  }
  const same: [RawLine, RawLine][] = []
  const flushSame = () => {
    for (const [before, after] of same) rows.push({ isSame: true, before: whole(before), after: whole(after) })
    same.length = 0
  }
  for (const line of lines) {
    const text = line.slice(1)
    if (line.startsWith('\\')) {
      // It is about the line before it.
      for (const one of last) one.isOpen = true
    } else if (line.startsWith('-')) {
      flushSame()
      last = [{ number: oldLine++, text, isOpen: false }]
      removed.push(...last)
    } else if (line.startsWith('+')) {
      flushSame()
      last = [{ number: newLine++, text, isOpen: false }]
      added.push(...last)
    } else {
      pair()
      const both: [RawLine, RawLine] = [
        { number: oldLine++, text, isOpen: false },
        { number: newLine++, text, isOpen: false },
      ]
      last = both
      same.push(both)
    }
  }
  flushSame()
  pair()
  return rows
}

const whole = ({ number, text, isOpen }: RawLine, isChanged = false): DiffLine => ({
  number,
  parts: text === '' ? [] : [{ text, isChanged }],
  isOpen,
})

function changedRow(before: RawLine | undefined, after: RawLine | undefined): DiffRow {
  const words = before && after ? wordsOf(before.text, after.text) : null
  const side = (line: RawLine | undefined, parts: readonly DiffPart[] | undefined) =>
    line ? { ...whole(line), ...(parts && { parts }) } : null
  return { isSame: false, before: side(before, words?.before), after: side(after, words?.after) }
}

/** Null for lines that have too little in common: all of both would be marked. */
function wordsOf(before: string, after: string) {
  if (before.length + after.length > MOST_WORDS_CHARACTERS) return null
  const changes = diffWordsWithSpace(before, after, { timeout: MOST_WORD_MS })
  if (!changes) return null
  const shared = changes.filter(({ added, removed }) => !added && !removed)
  const sharedLength = shared.reduce((sum, { value }) => sum + value.trim().length, 0)
  if (sharedLength * 4 < Math.max(before.length, after.length)) return null
  return {
    before: changes.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, isChanged: removed })),
    after: changes.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, isChanged: added })),
  }
}

/** Where the header of a README ends: YAML between two lines of three hyphens, before any text. */

export interface FrontMatter {
  /** The YAML between the lines; null if there is no header. */
  readonly header: string | null
  /** What follows. */
  readonly body: string
}

const OPENING = /^\uFEFF?\s*---[ \t]*\r?\n/

/** Splits a README. A header that does not end is none. Takes time that grows with the length alone. */
export function splitFrontMatter(text: string): FrontMatter {
  const [opening] = OPENING.exec(text) ?? []
  if (opening === undefined) return { header: null, body: text }
  const closing = /^---[ \t]*\r?$/gm
  closing.lastIndex = opening.length
  const end = closing.exec(text)
  if (!end) return { header: null, body: text }
  return {
    header: text.slice(opening.length, end.index),
    body: text.slice(closing.lastIndex).replace(/^\n/, ''),
  }
}

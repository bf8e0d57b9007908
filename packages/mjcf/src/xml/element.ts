/**
 * An XML element as parsed by tinyxml2: names and attribute values exactly as written, the five entities and character
 * references decoded, text dropped.
 */
export interface XmlElement {
  readonly name: string
  /** In document order; values are not trimmed. */
  readonly attributes: ReadonlyMap<string, string>
  /** Replaced in place while includes are expanded; immutable afterwards. */
  children: XmlElement[]
  /** Path in the repo of the file that the element was written in. */
  readonly file: string
  /** 1-based line of its opening tag. */
  readonly line: number
  /** Whether it directly contains text, comments or the like, which `<include>` must not. */
  readonly hasOtherContent?: true
}

/** Shared by elements without attributes. */
export const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()

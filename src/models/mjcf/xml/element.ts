/** An XML element as tinyxml2 would hold it: names and attribute values exactly as written, the five entities and character references decoded, text dropped. */
export interface XmlElement {
  readonly name: string
  /** In document order; values are not trimmed. */
  readonly attributes: ReadonlyMap<string, string>
  /** Replaced in place while includes are expanded; nothing changes them after that. */
  children: XmlElement[]
  /** Path in the repo of the file that the element was written in. */
  readonly file: string
  /** 1-based line of its opening tag. */
  readonly line: number
  /** Whether text, a comment or the like stands directly in it, which `<include>` may not have. */
  readonly hasOtherContent?: true
}

/** What elements without attributes share. */
export const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()

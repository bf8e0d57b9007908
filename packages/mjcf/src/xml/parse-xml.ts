/**
 * XML as MuJoCo's parser (tinyxml2) reads it, which differs from the standard: text may precede the root, `<`, `>` and
 * `&` in attribute values, unknown entities stay as they are, a DOCTYPE ends at its first `>`, everything after a stray
 * closing tag is ignored. Nothing is ever fetched or expanded. One pass over the text, no recursion.
 */
import { type FaultKind, faultAt, ModelRefusal } from '../fault.ts'
import { limits } from '../limits.ts'
import { attributeValue } from './attribute-value.ts'
import { documentText } from './document-text.ts'
import { NO_ATTRIBUTES, type XmlElement } from './element.ts'

const NAME = /[A-Za-z_:\u0080-\uffff][A-Za-z0-9_:.\u0080-\uffff-]*/y
const SPACE = /[ \t-\r]*/y

/** Sections without elements: their start and end; the first match applies. */
const sections = [
  { kind: 'declaration', begin: '<?', end: '?>' },
  { kind: 'comment', begin: '<!--', end: '-->' },
  { kind: 'CDATA section', begin: '<![CDATA[', end: ']]>' },
  { kind: 'DOCTYPE', begin: '<!', end: '>' },
] as const

interface Tag {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly form: 'open' | 'closing' | 'empty'
}

/** An element whose closing tag was not read yet. */
type Opened = XmlElement & { hasOtherContent?: true }

/** Remaining budget of a document, or of all documents of a model. */
export interface XmlAllowance {
  elements: number
  attributes: number
}

/**
 * The root element of a document. Throws `ModelRefusal` (`xml`, or `limit` if too large); subtracts what it uses from
 * `left`.
 */
export function parseXml(
  bytes: Uint8Array,
  file: string,
  left: XmlAllowance = { elements: limits.elements, attributes: limits.attributes },
): XmlElement {
  const cursor = newCursor(bytes, file)
  const open: Opened[] = []
  let root: XmlElement | null = null
  let mayDeclare = true
  for (cursor.skipSpace(); !cursor.atEnd(); cursor.skipSpace()) {
    const section = sections.find(({ begin }) => cursor.startsWith(begin))
    if (section) {
      if (section.kind !== 'declaration') mayDeclare = false
      else if (!mayDeclare) cursor.refuse('<? … ?> is only allowed at the very top of a document.')
      cursor.skipPast(section.end, section.begin.length, `A ${section.kind} is not closed.`)
      markContent(open)
      continue
    }
    mayDeclare = false
    if (!cursor.startsWith('<')) {
      cursor.skipTo('<', root ? 'Text after the root element.' : 'The document has text but no element.')
      markContent(open)
      continue
    }
    const line = cursor.line()
    const tag = readTag(cursor, left)
    if (tag.form === 'closing') {
      const opened = open.pop()
      if (!opened) break
      if (opened.name !== tag.name) cursor.refuse(`</${tag.name}> closes <${opened.name}> of line ${opened.line}.`)
      continue
    }
    left.elements -= 1
    if (left.elements < 0) cursor.refuse(`More than ${limits.elements} elements.`, 'limit')
    const element: XmlElement = { name: tag.name, attributes: tag.attributes, children: [], file, line }
    open.at(-1)?.children.push(element)
    root ??= element
    if (tag.form === 'open') open.push(element)
    if (open.length >= limits.levels) cursor.refuse(`Elements are nested ${limits.levels} levels deep.`)
  }
  const unclosed = open.at(-1)
  if (unclosed) cursor.refuse(`<${unclosed.name}> of line ${unclosed.line} is not closed.`)
  return root ?? cursor.refuse('The document has no element.')
}

function markContent(open: readonly Opened[]): void {
  const parent = open.at(-1)
  if (parent) parent.hasOtherContent = true
}

type Cursor = ReturnType<typeof newCursor>

/** A position in a text that only moves forward. */
function newCursor(bytes: Uint8Array, file: string) {
  if (bytes.length > limits.fileBytes) {
    throw new ModelRefusal(
      faultAt('limit', { file }, `${bytes.length} bytes of XML; the limit is ${limits.fileBytes}.`),
    )
  }
  const text = documentText(bytes)
  let at = 0
  let lines = 1
  let nextFeed = text.indexOf('\n')

  /** The line of the current position; scans the text only once over all calls. */
  const line = () => {
    for (; nextFeed !== -1 && nextFeed < at; nextFeed = text.indexOf('\n', nextFeed + 1)) lines += 1
    return lines
  }
  const refuse = (message: string, kind: FaultKind = 'xml'): never => {
    // UTF-16 of Latin text has a NUL in every second byte; MuJoCo stops at the first.
    const hint = bytes.includes(0) ? 'The file has NUL bytes: save it as UTF-8.' : undefined
    throw new ModelRefusal(faultAt(kind, { file, line: line() }, message, { hint }))
  }
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
  const skipTo = (end: string, message: string, from = 0) => {
    const found = text.indexOf(end, at + from)
    if (found === -1) refuse(message)
    at = found
  }
  const cursor = {
    line,
    refuse,
    match,
    skipTo,
    atEnd: () => at >= text.length,
    startsWith: (start: string) => text.startsWith(start, at),
    skipSpace: () => void match(SPACE),
    skip: (length: number) => {
      at += length
    },
    skipPast: (end: string, from: number, message: string) => {
      skipTo(end, message, from)
      at += end.length
    },
    /** The text up to `end`, which is skipped. */
    take: (end: string, message: string): string => {
      const from = at
      skipTo(end, message)
      at += end.length
      return text.slice(from, at - end.length)
    },
  }
  cursor.skipSpace()
  if (cursor.startsWith('\ufeff')) cursor.skip(1)
  return cursor
}

/** A tag from its `<` to its `>`. Closing tags may have attributes, and one that ends with `/>` is an empty element. */
function readTag(cursor: Cursor, left: XmlAllowance): Tag {
  cursor.skip(1)
  cursor.skipSpace()
  const isClosing = cursor.startsWith('/')
  if (isClosing) cursor.skip(1)
  const name = cursor.match(NAME)
  if (name === '') cursor.refuse(`After ${isClosing ? '</' : '<'} an element name is missing.`)
  let attributes: Map<string, string> | null = null
  for (;;) {
    cursor.skipSpace()
    if (cursor.startsWith('>')) {
      cursor.skip(1)
      return { name, attributes: attributes ?? NO_ATTRIBUTES, form: isClosing ? 'closing' : 'open' }
    }
    if (cursor.startsWith('/>')) {
      cursor.skip(2)
      return { name, attributes: attributes ?? NO_ATTRIBUTES, form: 'empty' }
    }
    attributes ??= new Map()
    readAttribute(cursor, name, attributes)
    left.attributes -= 1
    if (attributes.size > limits.elementAttributes) {
      cursor.refuse(`<${name}> has more than ${limits.elementAttributes} attributes.`, 'limit')
    }
    if (left.attributes < 0) cursor.refuse(`More than ${limits.attributes} attributes.`, 'limit')
  }
}

function readAttribute(cursor: Cursor, element: string, attributes: Map<string, string>): void {
  const name = cursor.match(NAME)
  if (name === '') cursor.refuse(`The tag <${element}> is not closed, or contains something that is not an attribute.`)
  cursor.skipSpace()
  if (!cursor.startsWith('=')) cursor.refuse(`The attribute "${name}" of <${element}> has no value.`)
  cursor.skip(1)
  cursor.skipSpace()
  const quote = cursor.startsWith('"') ? '"' : "'"
  if (!cursor.startsWith(quote)) cursor.refuse(`The value of "${name}" in <${element}> is not in quotes.`)
  cursor.skip(1)
  const raw = cursor.take(quote, `The value of "${name}" in <${element}> has no closing quote.`)
  if (attributes.has(name)) cursor.refuse(`<${element}> has the attribute "${name}" twice.`)
  attributes.set(name, attributeValue(raw))
}

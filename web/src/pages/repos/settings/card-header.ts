/** Edits the header of a README, which is the card of the repo. Pure. */
import { splitFrontMatter } from '@hub/formats/front-matter'
import { isMap, isNode, isScalar, type Pair, parseDocument, stringify } from 'yaml'

const cardFields = ['pretty_name', 'license', 'library_name', 'pipeline_tag', 'language', 'tags'] as const
type CardField = (typeof cardFields)[number]

/** Texts, and lists in `tags` and `language`; null is none. */
export type Card = Readonly<Record<CardField, string | readonly string[] | null>>

/** Fields that may have several values. */
const lists: ReadonlySet<CardField> = new Set(['tags', 'language'])

/** Rejects a header that is not YAML, or no map. */
function documentOf(text: string) {
  const { header } = splitFrontMatter(text)
  const document = parseDocument(header ?? '')
  const [fault] = document.errors
  if (fault) throw new Error(`The header of README.md is not YAML: ${fault.message.split('\n')[0]}`)
  if (document.contents !== null && !isMap(document.contents))
    throw new Error('The header of README.md has no names and values. Edit the file.')
  return document
}

/** What the header says, as texts that a form shows. Throws with words for a person. */
export function cardOf(text: string): Card {
  const document = documentOf(text)
  const read = (field: CardField) => {
    const value: unknown = document.toJS()?.[field]
    if (Array.isArray(value)) return value.map(String)
    return value === undefined || value === null ? null : String(value)
  }
  return Object.fromEntries(cardFields.map((field) => [field, read(field)])) as Card
}

/**
 * The text with these fields in its header; all else of it stays as it was written, digits and comments too. An empty
 * field goes. Throws with words for a person.
 */
export function withCard(text: string, card: Partial<Card>): string {
  const { header, body } = splitFrontMatter(text)
  const { contents } = documentOf(text)
  if (isMap(contents) && contents.flow) throw new Error('The header of README.md is in braces. Edit the file.')
  const known = cardOf(text)
  const pairs = isMap(contents) ? contents.items : []
  let source = header ?? ''
  let added = ''
  // From the end, so that what stands before keeps its place.
  for (const pair of pairs.toReversed()) {
    const field = cardFields.find((one) => isScalar(pair.key) && pair.key.value === one)
    const value = field && card[field]
    if (!field || value === undefined || isSame(value, known[field])) continue
    const line = written(field, value, known[field])
    const [from, to] = placeOf(pair, source, line === '')
    source = source.slice(0, from) + line.trimEnd() + source.slice(to)
  }
  for (const field of cardFields) {
    const value = card[field]
    const isThere = pairs.some(({ key }) => isScalar(key) && key.value === field)
    if (value !== undefined && !isThere) added += written(field, value, null)
  }
  const lines = source === '' || source.endsWith('\n') ? source : `${source}\n`
  return (lines + added).trim() === '' ? body : `---\n${lines}${added}---\n${body}`
}

type Value = Card[CardField]

const valuesOf = (value: Value): readonly string[] => (typeof value === 'string' ? [value] : (value ?? []))
const isSame = (a: Value, b: Value) => valuesOf(a).join('\n') === valuesOf(b).join('\n')

/** Its lines; empty for none. One value of several that was written as a text stays one. */
function written(field: CardField, value: Value, before: Value): string {
  const values = valuesOf(value)
  if (values.length === 0) return ''
  const isText = !lists.has(field) || (typeof before === 'string' && values.length === 1)
  return stringify({ [field]: isText ? values[0] : values }, { lineWidth: 0 })
}

/** Where name and value stand; with what follows up to the next name, if they are to go. */
function placeOf({ key, value }: Pair, source: string, isWhole: boolean): readonly [from: number, to: number] {
  const [from = 0, end = 0] = isNode(key) ? (key.range ?? []) : []
  const [, valueEnd = end, wholeEnd = end] = isNode(value) ? (value.range ?? []) : []
  if (!isWhole) return [from, from + source.slice(from, valueEnd).trimEnd().length]
  const lineEnd = source.indexOf('\n', Math.max(wholeEnd - 1, from))
  return [from, lineEnd === -1 ? source.length : lineEnd + 1]
}

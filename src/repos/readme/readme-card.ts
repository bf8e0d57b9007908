/**
 * What a README says about its repo: the members of its header that people who use Hugging Face's hub write. Contract,
 * "Cards of READMEs". Input is untrusted: a card is read or not, and nothing else fails.
 */
import { ExactNumber } from '@hub/formats/exact-json'
import { isTag, textFault } from '@hub/formats/text-rules'
import { readHeader } from '../../platform/readme-header.ts'
import { cardJson } from './card-json.ts'
import { MAX_CARD_LABELS, MAX_CARD_TAGS, MAX_FACT_CHARACTERS, MAX_LABEL_CHARACTERS, MAX_SOURCES } from './limits.ts'

/** The file whose header is the card. */
export const README_PATH = 'README.md'

/** What every list of repos shows. */
export interface CardFacts {
  readonly license: string | null
  readonly libraryName: string | null
  readonly pipelineTag: string | null
  readonly prettyName: string | null
  /** Why the header, or a part of it, is not used: sentences. */
  readonly fault: string | null
  /** Its tags and labels that are not in lower case, as it writes them; absent if all are. */
  readonly spellings?: readonly string[]
}

export type SourceRelation = 'dataset' | 'base_model'

/** A repo that the card says it is made from. */
export interface CardSource {
  readonly relation: SourceRelation
  /** As the card writes it. */
  readonly name: string
}

export interface ReadmeCard {
  readonly facts: CardFacts
  /** In lower case, those that are tags of the hub. */
  readonly tags: readonly string[]
  /**
   * In lower case: other tags, and the rest that it can be found by, as Hugging Face's hub writes that: `license:mit`,
   * `language:en`, `dataset:lab/pick`.
   */
  readonly labels: readonly string[]
  readonly sources: readonly CardSource[]
  /** The header as JSON; null if there is none, or it is invalid. */
  readonly data: string | null
}

const noFacts: CardFacts = { license: null, libraryName: null, pipelineTag: null, prettyName: null, fault: null }

/** The card of a README without one; `fault` says why that is so, if it should not be. */
export const noCard = (fault: string | null): ReadmeCard => ({
  facts: { ...noFacts, fault },
  tags: [],
  labels: [],
  sources: [],
  data: null,
})

/** Reads the card of this README. */
export function readCard(readme: string): ReadmeCard {
  const { members, fault } = readHeader(readme)
  if (members === null) return noCard(fault)
  const { text, fault: tooMuch } = cardJson(members)
  if (text === null) return noCard(tooMuch)
  const [libraryName, pipelineTag] = [factOf(members.library_name), factOf(members.pipeline_tag)]
  const tags = wordsOf(members.tags)
  const sources = [...sourcesOf('dataset', members.datasets), ...sourcesOf('base_model', members.base_model)]
  const found = [
    ...[libraryName, pipelineTag].filter((word) => word !== null),
    ...tags.filter((tag) => !isTag(tag.toLowerCase())),
    ...labelsOf('license', members.license),
    ...labelsOf('task_categories', members.task_categories),
    ...labelsOf('size_categories', members.size_categories),
    ...labelsOf('language', members.language),
    ...sources.map(({ relation, name }) => `${relation}:${name}`),
  ]
  const labels = distinct(found)
  const hubTags = distinct(tags).filter(isTag)
  const faults = [
    overLimit('tags', hubTags.length, MAX_CARD_TAGS),
    overLimit('names to be found by', labels.length, MAX_CARD_LABELS),
    overLimit('datasets and base models', sources.length, MAX_SOURCES),
  ].filter((one) => one !== null)
  const [shownTags, shownLabels] = [hubTags.slice(0, MAX_CARD_TAGS), labels.slice(0, MAX_CARD_LABELS)]
  const spellings = spellingsOf([...tags, ...found], new Set([...shownTags, ...shownLabels]))
  return {
    facts: {
      license: factOf(members.license),
      libraryName,
      pipelineTag,
      prettyName: factOf(members.pretty_name),
      fault: faults.length > 0 ? faults.join(' ') : null,
      ...(spellings.length > 0 && { spellings }),
    },
    tags: shownTags,
    labels: shownLabels,
    sources: sources.slice(0, MAX_SOURCES),
    data: text,
  }
}

function overLimit(what: string, count: number, most: number): string | null {
  return count > most ? `Of the ${count} ${what} in the header of README.md, the first ${most} are used.` : null
}

const distinct = (words: readonly string[]) => [
  ...new Set(words.filter((word) => word.length <= MAX_LABEL_CHARACTERS).map((word) => word.toLowerCase())),
]

/** The words that lower case changes, of those that are `shown` in it; of several spellings the first. */
function spellingsOf(words: readonly string[], shown: ReadonlySet<string>): string[] {
  const spelled = new Map<string, string>()
  for (const word of words) {
    const key = word.toLowerCase()
    if (shown.has(key) && !spelled.has(key)) spelled.set(key, word)
  }
  return [...spelled].flatMap(([key, word]) => (key === word ? [] : [word]))
}

/** Texts and numbers, of a list or alone; everything else is data. */
function wordsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => wordOf(item) ?? [])
}

function wordOf(value: unknown): string | null {
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber
  const word = isNumber ? String(value) : typeof value === 'string' ? value.trim() : ''
  return word === '' || textFault(word) !== null ? null : word
}

/** The word, or the first of a list. */
function factOf(value: unknown): string | null {
  const [word = null] = wordsOf(value)
  return word !== null && word.length <= MAX_FACT_CHARACTERS ? word : null
}

const labelsOf = (prefix: string, value: unknown) => wordsOf(value).map((word) => `${prefix}:${word}`)

function sourcesOf(relation: SourceRelation, value: unknown): CardSource[] {
  const names = new Set(wordsOf(value).filter((name) => name.length + relation.length < MAX_LABEL_CHARACTERS))
  return [...names].map((name) => ({ relation, name }))
}

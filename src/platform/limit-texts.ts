/** What the numbers of errors mean, in words: for the OpenAPI document and the pages of errors. Pure. */
import { type LimitMembers, type LimitType, limitHeadersOf, limitKindOf, limitKinds } from './limit-facts.ts'

/** The members of a Problem. */
export const limitMeanings: Readonly<Record<keyof LimitMembers, string>> = {
  unit: 'What `limit`, `used` and `left` count.',
  limit: 'The limit that the request met.',
  used: 'What counts against it now, with what is reserved; of a limit for one request, what that has.',
  left: 'What is left of it.',
  retry_after_s: 'Seconds until the request may succeed; as in `Retry-After`.',
  resets_at: 'When what was used counts no more.',
}

const headerMeanings = {
  limit: (unit: string) => `The quota in ${unit}; \`limit\` of the Problem.`,
  used: (unit: string) => `The ${unit} that are used; \`used\` of the Problem.`,
}

const wordsOf = (unit: string) => unit.replaceAll('_', ' ')

/** The headers of errors of these types, each with its meaning. */
export function limitHeaderMeanings(types: readonly LimitType[]): Record<string, string> {
  const found: Record<string, string> = {
    'Retry-After': 'Seconds until the request may succeed; `retry_after_s` of the Problem.',
  }
  for (const type of types) {
    const { limit, used } = limitHeadersOf(type)
    const unit = wordsOf(limitKinds[type].unit ?? 'units')
    if (limit) found[limit] = headerMeanings.limit(unit)
    if (used) found[used] = headerMeanings.used(unit)
  }
  return found
}

/** One sentence on the numbers in a Problem of this type, with code between backticks; null for a type without. */
export function limitSentence(type: string): string | null {
  const kind = limitKindOf(type)
  if (!kind) return null
  const members = kind.members.map((name) => `\`${name}\``)
  const list = members.length > 1 ? `${members.slice(0, -1).join(', ')} and ${members.at(-1)}` : members.join('')
  const unit = kind.unit ? `, in ${wordsOf(kind.unit)}` : ', and `unit` says of what'
  return `The Problem has ${list}${unit}. In GraphQL they are in \`extensions.problem\`.`
}

/** Builds enum types: the internal value is the spelling of `/v1` and of the database; the name is GraphQL's. */
import { builder } from './builder.ts'

/**
 * An enum of these values, each with its description: `dataset` is named `DATASET` in GraphQL, and is `dataset`
 * everywhere else.
 */
export function wordEnum<const Words extends Readonly<Record<string, string>>>(
  name: string,
  description: string,
  words: Words,
) {
  const values = Object.fromEntries(
    Object.entries(words).map(([word, about]) => [word.toUpperCase(), { value: word, description: about }]),
  )
  return builder.enumType(name, { description, values: values as Record<string, { value: keyof Words & string }> })
}

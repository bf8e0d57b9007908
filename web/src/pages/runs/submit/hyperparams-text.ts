/** Hyperparameters as the text of a JSON object, which a form reads and changes one value at a time. Pure. */

/** Null for a text that is no JSON object. An empty one has no hyperparameters. */
export function hyperparamsOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** The text of an object; none for one without members. */
export const textOfHyperparams = (values: Readonly<Record<string, unknown>>): string =>
  Object.keys(values).length === 0 ? '' : JSON.stringify(values, null, 2)

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

/** The value that was typed: a number, `true`, `false` or `null` where it is one, else a text; undefined for nothing. */
export function valueTyped(typed: string): unknown {
  const text = typed.trim()
  if (text === '') return undefined
  if (Object.hasOwn(words, text)) return words[text]
  return NUMBER.test(text) ? Number(text) : text
}

/** How a value is shown in a field. */
export const shownValue = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** The text with another value for `name`, or without it. The others and their order stay, as does a text that is no object. */
export function withHyperparam(text: string, name: string, value: unknown): string {
  const values = hyperparamsOf(text)
  if (values === null) return text
  if (value !== undefined) return textOfHyperparams({ ...values, [name]: value })
  const { [name]: _gone, ...others } = values
  return textOfHyperparams(others)
}

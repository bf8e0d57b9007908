/** Spec, RunConfigKey: `value` is elided past 200 characters. */
const MAX_VALUE_LENGTH = 200

/** A value's text for display: at most 200 characters. */
export function rendered(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 1).toWellFormed()}…` : text
}

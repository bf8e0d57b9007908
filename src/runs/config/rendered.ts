/** Spec, RunConfigKey: `value` is elided past 200 characters. */
const MAX_VALUE_LENGTH = 200

/** A value as it is shown. */
export function rendered(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 1).toWellFormed()}…` : text
}

/** The text of SQL, as far as its parentheses go. */

/** The place after the parenthesis that closes the first one. */
export function closing(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return at + 1
  }
  return text.length
}

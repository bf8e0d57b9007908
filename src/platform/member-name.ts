/** The two spellings of a member: `fullName` in GraphQL, `full_name` in `/v1`. */

const snakeOf = new Map<string, string>()

/** `contentType` -> `content_type`. Digits stay with the word before them (`sha256`). */
export function toSnake(name: string): string {
  let snake = snakeOf.get(name)
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (snakeOf.size < 10_000) snakeOf.set(name, snake)
  }
  return snake
}

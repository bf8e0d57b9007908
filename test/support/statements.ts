/** The SQL statements of the hub, as its source has them. */
import { glob, readFile } from 'node:fs/promises'

export interface SourceStatement {
  /** As it is written: of one that is made for each kind of job, with the placeholder. Empty for one that is not prepared. */
  readonly name: string
  /** Its unique key: its name, or its file if it has no name. */
  readonly key: string
  readonly file: string
  /** The lines of the object that declares it, from 1. */
  readonly firstLine: number
  readonly lastLine: number
  /** The object that declares it. */
  readonly source: string
  readonly does: 'write' | 'lock' | 'read'
  /** Why it is exact SQL and not Prisma's; null where it does not say. */
  readonly exact: string | null
}

/** `{ name: …` followed by a member of statements. */
const opening =
  /\{\s*(?:\/\/[^\n]*\s*)*name: (?:'([^'\n]*)'|`([^`\n]*)`),\s*(?:\/\/[^\n]*\s*)*(?:columns|params|rows|text|toRow|exact)\b/g
const sqlText = /\btext: [`']\s*(?:select|insert|update|delete|with|set local)\b/g
const writing = /\b(?:insert into|delete from) |(?<!\bfor |\bno key )\bupdate [\w$]/i
/** `src/store/insert.ts` makes its text. */
const inserting = /const (\w+) = insert(?:Into|Selected|Each|IntoTable|SelectedInto)\(/g
const locking = /\bfor (?:no key )?update\b|\bfor (?:key )?share\b|\bpg_(?:try_)?advisory/i

/** From the brace at `start` to the one that closes it; those of template literals balance too. */
function objectAt(source: string, start: number): string {
  let depth = 0
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === '{') depth += 1
    if (source[at] === '}') depth -= 1
    if (depth === 0) return source.slice(start, at + 1)
  }
  throw new Error(`Nothing closes the brace at ${start}.`)
}

function statementsOf(file: string, text: string): SourceStatement[] {
  const inserts = [...text.matchAll(inserting)].map(([, name]) => new RegExp(`\\b${name}\\.sql\\b`))
  const found = [...text.matchAll(opening)].map(({ index, 1: plain, 2: made }) => {
    const source = objectAt(text, index)
    const name = plain ?? made ?? ''
    const isWrite = writing.test(source) || inserts.some((insert) => insert.test(source))
    const does = isWrite ? 'write' : locking.test(source) ? 'lock' : 'read'
    const firstLine = text.slice(0, index).split('\n').length
    const lines = { firstLine, lastLine: firstLine + source.split('\n').length - 1 }
    const exact = /\bexact: '([\w-]+)'/.exec(source)?.[1] ?? null
    return { index, statement: { file, ...lines, name, key: name || file, source, does, exact } as const }
  })
  for (const { index } of text.matchAll(sqlText)) {
    const holds = found.some((at) => at.index < index && index < at.index + at.statement.source.length)
    if (!holds)
      throw new Error(`${file} has SQL in no statement that begins with its name: ${text.slice(index, index + 80)}`)
  }
  return found.map(({ statement }) => statement)
}

/** Every statement below src/. Throws for SQL in a form that it does not know. */
export async function sourceStatements(): Promise<SourceStatement[]> {
  const found: SourceStatement[] = []
  for await (const file of glob('src/**/*.ts')) found.push(...statementsOf(file, await readFile(file, 'utf8')))
  return found
}

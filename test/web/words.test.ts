/** Words that people do not read on the pages and in the command: "version" for a state of a repo, "in progress", labels that say what they label. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = globSync(['web/src/**/*.{ts,tsx}', 'packages/cli/src/**/*.ts'], { cwd: root })
  .filter((file) => !file.endsWith('.graphql.ts'))
  .sort()

/** Comments speak to those who write the hub. */
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')

const forbidden: Readonly<Record<string, RegExp>> = {
  'in progress, not under way': /\bunder way\b/,
  'what waits and what runs, by their numbers': /Nothing waits|nothing runs/,
  'your organizations': /of which you are/,
  'a label that says what it labels': />\s*(?:Of|May|How)\s*<|['"](?:Of|May|How)['"]|How: reported/,
  'a version, not a state, of a repo':
    /\b(?:a|the|this|that|every|each|two|past|current|older|replaced) states?\b(?! of (?:runs|sessions))/,
}

describe('the pages and the command', () => {
  it.each(Object.entries(forbidden))('say %s', (_, word) => {
    const found = files.filter((file) => word.test(withoutComments(readFileSync(join(root, file), 'utf8'))))
    expect(found).toEqual([])
  })

  it('are read whole', () => expect(files.length).toBeGreaterThan(300))
})

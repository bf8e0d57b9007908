/** What a test file says of itself, in a line at its top: `// @module-tag sampled`. Vitest refuses a tag that is not here. */
import { readFileSync } from 'node:fs'

export const tags = [
  {
    name: 'sampled',
    description: 'Its tests of made-up or many cases are a sample in `npm test`; the torture run tries the others.',
  },
  {
    name: 'full',
    description:
      'Takes minutes of both cores, and what it tries changes rarely: in `npm run test:full` alone, with all that ' +
      'the other runs leave out.',
  },
  {
    name: 'long',
    description: 'Takes longest beside others, so it starts first: started last, it would run alone at the end.',
  },
  {
    name: 'processes',
    description:
      'Starts many processes, so it starts early: for each one Linux copies the page tables of the worker, which grow.',
  },
  {
    name: 'own-graph',
    description: 'Its documents are of a graph of its own, or are about documents as such; the others are of the hub.',
  },
] as const

export type Tag = (typeof tags)[number]['name']

/** Whether the file declares the tag, read as Vitest reads it. */
export function declares(file: string, tag: Tag): boolean {
  return new RegExp(`^// @module-tag ${tag}$`, 'm').test(readFileSync(file, 'utf8'))
}

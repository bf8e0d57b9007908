/** Both clients decide on paths alike: this one and that for Python (`clients/python/tests/test_paths.py`) are tried with one list of cases. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertSafeListing, caseCollisions } from '@hub/client/landing'
import { clashesBetween } from '@hub/text/file-path'
import { withHiddenShown } from '@hub/text/hidden-characters'
import { describe, expect, it } from 'vitest'
import { pathRules } from '../../packages/client/src/globs.ts'
import { leavingOut } from '../../packages/client/src/left-out.ts'
import { LocalError } from '../../packages/client/src/problem.ts'

interface Cases {
  readonly paths: readonly { path: string; times?: number; fault: string | null; windows: string | null }[]
  readonly listings: readonly { paths: string[]; faults: string[] }[]
  readonly collisions: readonly { paths: string[]; groups: string[][] }[]
  readonly clashes: readonly { paths: string[]; others: string[]; found: [path: string, other: string][] }[]
  readonly leftOut: readonly { path: string; reason: string | null }[]
  readonly patterns: readonly { include: string[]; exclude: string[]; matches: string[]; others: string[] }[]
  readonly folders: readonly { include: string[]; mayHold: string[]; others: string[] }[]
  readonly named: readonly { pattern: string; names: string[]; others: string[] }[]
  readonly hidden: readonly (readonly [text: string, shown: string])[]
}

const cases: Cases = JSON.parse(readFileSync(join(import.meta.dirname, 'path-cases.json'), 'utf8'))

function faultsOf(paths: readonly string[], platform: NodeJS.Platform): readonly string[] {
  try {
    assertSafeListing(
      paths.map((path) => ({ path })),
      platform,
    )
    return []
  } catch (error) {
    if (!(error instanceof LocalError)) throw error
    return error.faults
  }
}

describe('a path of a repo', () => {
  it.each(cases.paths)(
    '$path is written or refused, here and on Windows',
    ({ path: part, times = 1, fault, windows }) => {
      const path = part.repeat(times)
      const expected = (why: string | null) => (why === null ? [] : [`${JSON.stringify(path)} ${why}`])
      expect(faultsOf([path], 'linux')).toEqual(expected(fault))
      expect(faultsOf([path], 'win32')).toEqual(expected(windows))
    },
  )
})

describe('a listing', () => {
  it.each(cases.listings)('$paths has these faults', ({ paths, faults }) => {
    expect(faultsOf(paths, 'linux')).toEqual(faults)
  })
  it.each(cases.collisions)('$paths has these names that differ in letter case alone', ({ paths, groups }) => {
    expect(caseCollisions(paths.map((path) => ({ path })))).toEqual(groups)
  })
})

describe('files to send', () => {
  it.each(cases.clashes)('$paths have these clashes with $others', ({ paths, others, found }) => {
    expect(clashesBetween(paths, others).map(({ path, other }) => [path, other])).toEqual(found)
  })
})

describe('a path of a folder', () => {
  it.each(cases.leftOut)('$path is left out for the reason $reason', ({ path, reason }) => {
    const leaving = leavingOut({ filter: { include: [], exclude: [] }, ignore: true, includeSecrets: false })
    const isFolder = path.endsWith('/')
    const left = isFolder ? leaving.folder(path.slice(0, -1)) : leaving.file(path)
    expect(leaving.isNever(path) ? 'never' : (left?.reason ?? null)).toBe(reason)
  })
})

describe('patterns', () => {
  it.each(cases.patterns)('$include without $exclude match these paths', ({ include, exclude, matches, others }) => {
    const rules = pathRules({ include, exclude })
    expect([...matches, ...others].filter(rules.matches)).toEqual(matches)
  })
  it.each(cases.folders)('$include may hold for these folders', ({ include, mayHold, others }) => {
    const rules = pathRules({ include, exclude: [] })
    expect([...mayHold, ...others].filter(rules.mayHold)).toEqual(mayHold)
  })
  it.each(cases.named)('$pattern names these paths', ({ pattern, names, others }) => {
    const rules = pathRules({ include: [pattern], exclude: [] })
    expect([...names, ...others].filter(rules.names)).toEqual(names)
  })
})

it('hidden characters are shown alike', () => {
  expect(cases.hidden.map(([text]) => withHiddenShown(text))).toEqual(cases.hidden.map(([, shown]) => shown))
})

/** What a run says of the tests that it skips. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, inject, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const made: string[] = []
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true })
})

/** The end of what Vitest prints of one file of tests. */
async function endOf(text: string, ...args: string[]): Promise<string> {
  const folder = await mkdtemp(join(inject('runDir'), 'skipped-'))
  made.push(folder)
  const needs = JSON.stringify(join(root, 'packages/testing/needs.ts'))
  const reporter = JSON.stringify(join(root, 'packages/testing/skip-reporter.ts'))
  const vitest = JSON.stringify(join(root, 'node_modules/vitest/dist/index.js'))
  await writeFile(
    join(folder, 'some.test.ts'),
    `import { describe, it } from ${vitest}\nimport { needs } from ${needs}\n${text}`,
  )
  await writeFile(
    join(folder, 'vitest.config.mts'),
    `import { SkipReporter } from ${reporter}\nexport default { test: { reporters: [new SkipReporter()] } }\n`,
  )
  const program = join(root, 'node_modules/vitest/vitest.mjs')
  const env = { PATH: process.env.PATH, HOME: folder }
  return execFileSync(process.execPath, [program, 'run', ...args], { cwd: folder, env, encoding: 'utf8' })
}

describe('a test run', () => {
  it('says at its end which tests it skipped, and why', async () => {
    const text = `
      describe('a robot', needs('there is no robot'), () => {
        it('walks', () => {})
        it('runs', needs('there is no track'), () => {})
        it.each([1, 2])('jumps %d', () => {})
      })
      describe('a hub', needs(null, false, undefined), () => {
        it('answers', () => {})
        it('prints', needs(false, 'there is no printer', 'there is no paper'), () => {})
      })`
    const lines = (await endOf(text)).trim().split('\n')
    expect(lines).toEqual([
      'skipped 3 tests: there is no robot (some.test.ts)',
      'skipped 1 test: there is no track (some.test.ts)',
      'skipped 1 test: there is no printer; there is no paper (some.test.ts)',
    ])
    // `.ci/run` finds them in its log, to say them again at its end.
    const [, pattern = ''] = /grep -E '(\^skipped[^']*)'/.exec(readFileSync(join(root, '.ci/run'), 'utf8')) ?? []
    expect(lines.filter((line) => new RegExp(pattern).test(line))).toEqual(lines)
  })

  it('says nothing where nothing is skipped, or only what was not asked for', async () => {
    const text = `it('answers', () => {})\nit('walks', () => {})\n`
    expect((await endOf(text, '-t', 'answers')).trim()).toBe('')
  })

  it('skips no test without a reason: all of them say it with `needs`', () => {
    const silent = globSync('{test,packages/*/test}/**/*.ts', { cwd: root }).filter((file) =>
      /\b(?:describe|it|test)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo)\b/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(silent).toEqual([])
  })
})

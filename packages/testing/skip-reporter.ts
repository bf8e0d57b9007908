/** Says at the end of a run which tests were skipped for want of something, and of what; `.ci/run` repeats these lines. */
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import './needs.ts'

/** Files that a line names. */
const MOST_FILES = 5

interface Skipped {
  tests: number
  readonly files: Set<string>
}

export class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly Pick<TestModule, 'moduleId' | 'children'>[]): void {
    const lines = skippedLines(modules, process.cwd())
    if (lines.length > 0) process.stdout.write(`\n${lines.join('\n')}\n`)
  }
}

/** One line a reason, that of most tests first. A test that is left out by `-t` has no reason. */
function skippedLines(modules: readonly Pick<TestModule, 'moduleId' | 'children'>[], root: string): string[] {
  const reasons = new Map<string, Skipped>()
  for (const { moduleId, children } of modules)
    for (const test of children.allTests('skipped')) {
      const reason = test.meta().skippedFor
      if (reason === undefined) continue
      const skipped = reasons.get(reason) ?? { tests: 0, files: new Set() }
      skipped.tests += 1
      skipped.files.add(relative(root, moduleId))
      reasons.set(reason, skipped)
    }
  return [...reasons].sort(([, a], [, b]) => b.tests - a.tests).map(lineOf)
}

function lineOf([reason, { tests, files }]: [string, Skipped]): string {
  const named = [...files].sort()
  const more = named.length > MOST_FILES ? [...named.slice(0, MOST_FILES), `${named.length - MOST_FILES} more`] : named
  return `skipped ${tests} test${tests === 1 ? '' : 's'}: ${reason} (${more.join(', ')})`
}

/** What a browser fetches before the first page shows anything: the scripts of `index.html`, and those of the home page with all that they import. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const built = join(import.meta.dirname, '../../generated/web')
const textOf = (path: string) => readFileSync(join(built, path), 'utf8')

/** Paths below the built folder that a script imports at once, not those that it imports when they are needed. */
const importsOf = (script: string) =>
  [...textOf(script).matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([^"']+\.js)["']/g)].map(([, name]) => `assets/${name}`)

function withImports(scripts: readonly string[], seen = new Set<string>()): ReadonlySet<string> {
  for (const script of scripts) {
    if (seen.has(script)) continue
    seen.add(script)
    withImports(importsOf(script), seen)
  }
  return seen
}

describe('the first page', () => {
  it('has at most 120 KB of script, compressed', () => {
    const shell = [...textOf('index.html').matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(
      ([, path]) => `${path}`,
    )
    const home = globSync('assets/home-page-*.js', { cwd: built })
    expect([shell.length > 0, home.length]).toEqual([true, 1])
    const scripts = [...withImports([...shell, ...home])]
    const sizes = scripts.map((path) => [path, gzipSync(textOf(path), { level: 9 }).length] as const)
    const sum = sizes.reduce((total, [, bytes]) => total + bytes, 0)
    // Fewer files than the page is made of would be a test of nothing.
    expect(scripts.length).toBeGreaterThan(10)
    expect(sum, sizes.map(([path, bytes]) => `${path} ${bytes}`).join('\n')).toBeLessThanOrEqual(120_000)
  })
})

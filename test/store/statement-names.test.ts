import { glob, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

/** Two texts under one name: whichever comes second on a connection fails there, and only there. */
it('no two prepared statements share a name', async () => {
  const seen = new Map<string, string>()
  const twice: string[] = []
  for await (const file of glob('src/**/*.ts')) {
    for (const [, name = ''] of (await readFile(file, 'utf8')).matchAll(
      /\bname: '([a-z0-9-]+)',\s+(?:columns|params|text):/g,
    )) {
      const before = seen.get(name)
      if (before !== undefined) twice.push(`${name}: ${before} and ${file}`)
      seen.set(name, file)
    }
  }
  expect(seen.size).toBeGreaterThan(50)
  expect(twice).toEqual([])
})

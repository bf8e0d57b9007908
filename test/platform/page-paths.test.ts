import { newId } from '@hub/formats/ids'
import { matchPage, pageOf, pagePath, pagePaths } from '@hub/formats/page-paths'
import { describe, expect, it } from 'vitest'
import { handleFault } from '../../src/auth/handle.ts'

describe('the table of pages', () => {
  it('has an address for whatever a person names that has a page', () => {
    const ids = { run: newId('run'), check: newId('check'), ep: newId('ep'), spend: newId('spend') }
    expect(['', 'ada/arm-2', ids.run, ids.check, ids.ep, ids.spend, 'keys'].map(pageOf)).toEqual([
      '/',
      '/ada/arm-2',
      `/runs/${ids.run}`,
      `/checks/${ids.check}`,
      `/endpoints/${ids.ep}`,
      `/holds/${ids.spend}`,
      '/settings/keys',
    ])
  })

  it.each(['ada', 'ada/arm/x', '../etc', 'Ada/arm', 'run_1', newId('key'), 'constructor_', 'ada/a rm', 'https://x/y'])(
    'has none for %s',
    (what) => expect(pageOf(what)).toBeNull(),
  )

  it('encodes parameters', () => {
    expect(pagePath('run', { id: 'a/b?c' })).toBe('/runs/a%2Fb%3Fc')
  })

  it('has no page that a repo could have the address of: ids are not slugs, and other first words are not handles', () => {
    for (const [name, path] of Object.entries(pagePaths)) {
      const [, first = '', second] = path.split('/')
      if (first === ':owner' || second === undefined) continue
      if (second !== ':id') expect([name, handleFault(first)]).toEqual([name, 'reserved'])
    }
    for (const prefix of ['run', 'check', 'ep', 'spend'] as const)
      expect(handleFault(newId(prefix).slice(0, 64))).toBe('ill_formed')
  })

  it('finds the page of a path, with its parameters', () => {
    const id = newId('run')
    expect(
      [`/runs/${id}`, '/runs/act', '/runs', '/@runs', '/ada/arm/tree/meshes/a%20b.stl', '/ada/arm/'].map(matchPage),
    ).toEqual([
      { name: 'run', params: { id } },
      { name: 'repo', params: { owner: 'runs', repo: 'act' } },
      { name: 'runs', params: {} },
      { name: 'account', params: { handle: 'runs' } },
      { name: 'repoFiles', params: { owner: 'ada', repo: 'arm', path: 'meshes/a b.stl' } },
      { name: 'repo', params: { owner: 'ada', repo: 'arm' } },
    ])
  })

  it.each(['/nothing', '/ada/arm/nothing', '/%E0%A4%A/arm', '//x', '/@', '/a/b/c/d'])('has no page at %s', (path) =>
    expect(matchPage(path)).toBeNull(),
  )

  it('finds each page at its own path', () => {
    const params = { id: newId('spend'), handle: 'ada', owner: 'ada', repo: 'arm', path: 'a/b' }
    for (const [name, path] of Object.entries(pagePaths)) {
      const filled = path.replace(/:(\w+)\*?/g, (_, param: keyof typeof params) => params[param])
      expect(matchPage(filled)?.name).toBe(name)
    }
  })
})

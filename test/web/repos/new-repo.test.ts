/** What the form of a new repo asks the hub for. */
import { describe, expect, it } from 'vitest'
import { newRepoInput, slugOf, tagsIn } from '../../../web/src/pages/repos/new/new-repo-input.ts'

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

describe('the form of a new repo', () => {
  it('asks for a private repo without what is left empty', () => {
    expect(newRepoInput(form({ slug: ' arm ', kind: 'ROBOT', description: ' ' }))).toEqual({
      owner: null,
      kind: 'ROBOT',
      slug: 'arm',
      description: null,
      tags: [],
      visibility: 'PRIVATE',
    })
  })

  it('asks for a public one with its owner, description and tags where they are filled in', () => {
    const fields = { owner: 'lab', slug: 'picks', kind: 'DATASET', description: 'Picks', tags: 'so100, bench' }
    expect(newRepoInput(form({ ...fields, visibility: 'PUBLIC' }))).toEqual({
      owner: 'lab',
      kind: 'DATASET',
      slug: 'picks',
      description: 'Picks',
      tags: ['so100', 'bench'],
      visibility: 'PUBLIC',
    })
  })

  it.each([
    ['My Arm', 'my-arm'],
    ['SO_ARM 100', 'so-arm-100'],
    ['Größe', 'gro-e'],
    ['--x', 'x'],
    ['arm-', 'arm-'],
    ['x'.repeat(70), 'x'.repeat(64)],
  ])('makes of %s the slug %s', (typed, slug) => expect(slugOf(typed)).toBe(slug))

  it('reads tags that spaces, commas and lines separate', () => {
    expect(tagsIn(' a,b  c\nd,, ')).toEqual(['a', 'b', 'c', 'd'])
  })
})

import { splitFrontMatter } from '@hub/formats/front-matter'
import { describe, expect, it } from 'vitest'
import { targetOf } from '../../../web/src/pages/repos/repo-links.ts'

const place = { owner: 'ada', repo: 'arm', path: 'docs/use.md' }
const href = (address: string, use: 'link' | 'image' = 'link') => targetOf(place, address, use)?.href ?? null

describe('a link in the Markdown of a repo', () => {
  it('leads to files of the repo: relative to the document, or from the root', () => {
    expect(href('joints.md#limits')).toBe('/ada/arm/tree/docs/joints.md')
    expect(href('../LICENSE')).toBe('/ada/arm/tree/LICENSE')
    expect(href('/meshes/a%20b.stl')).toBe('/ada/arm/tree/meshes/a%20b.stl')
    expect(href('../../../../etc/passwd')).toBe('/ada/arm/tree/etc/passwd')
  })

  it('of an image leads to the bytes of the file', () => {
    expect(href('arm.png?raw=1', 'image')).toBe('/v1/repos/ada/arm/resolve/docs/arm.png')
  })

  it('stays in the repo whatever the address of the page says its name is', () => {
    expect(targetOf({ owner: '../..', repo: 'a/b', path: 'c' }, 'd', 'image')?.href).toBe(
      '/v1/repos/..%2F../a%2Fb/resolve/d',
    )
  })

  it('to another site says so, and none runs a script', () => {
    expect(targetOf(place, 'https://example.org/a.png', 'image')?.kind).toBe('elsewhere')
    expect(targetOf(place, '//example.org', 'link')).toEqual({ kind: 'elsewhere', href: 'https://example.org' })
    expect(
      ['javascript:alert(1)', 'JAVASCRIPT:alert(1)', 'data:text/html,x', 'vbscript:x'].map((one) => href(one)),
    ).toEqual([null, null, null, null])
  })

  it('that is malformed or was emptied leads nowhere', () => {
    expect([href('%zz'), href('')]).toEqual([null, null])
  })
})

describe('a README', () => {
  it('is shown without the YAML before its text', () => {
    expect(splitFrontMatter('---\ntags: [a]\n---\n# Arm\n').body).toBe('# Arm\n')
    expect(splitFrontMatter('# Arm\n---\nfoot\n').body).toBe('# Arm\n---\nfoot\n')
  })
})

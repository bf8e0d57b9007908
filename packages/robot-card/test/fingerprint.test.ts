import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseExact } from '@hub/formats/exact-json'
import { describe, expect, it } from 'vitest'
import { interfaceFingerprint } from '../src/fingerprint.ts'
import type { EmbodimentInterface } from '../src/interface-schema.ts'
import { goodInterface } from './support/card.ts'

type Json = ReturnType<typeof JSON.parse>

interface Vector {
  readonly name: string
  readonly same_as?: string
  readonly json: string
  readonly canonical: string
  readonly sha256: string
}

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL('../../../docs/fingerprint-vectors.json', import.meta.url), 'utf8'),
)

describe('the fingerprint of an interface', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))(
    'is that of the published vector %s',
    (_name, vector) => {
      expect(interfaceFingerprint(parseExact(vector.json) as EmbodimentInterface)).toBe(vector.sha256)
      expect(createHash('sha256').update(vector.canonical).digest('hex')).toBe(vector.sha256)
    },
  )

  it('is the same exactly for the vectors that say so', () => {
    const digestOf = (name: string | undefined) => vectors.find((vector) => vector.name === name)?.sha256
    const own = vectors.filter((vector) => !vector.same_as)
    expect(own.length).toBeGreaterThan(5)
    expect(new Set(own.map(({ sha256 }) => sha256)).size).toBe(own.length)
    const same = vectors.filter((vector) => vector.same_as)
    expect(same.length).toBeGreaterThan(5)
    expect(same.filter(({ same_as, sha256 }) => digestOf(same_as) !== sha256)).toEqual([])
  })

  it('changes with every member that is set, to any depth', () => {
    const face = goodInterface({ default_pose: { elbow: 1 } })
    const whole = interfaceFingerprint(face)
    const seen = new Set([whole])
    const steps = (value: unknown, path: string[]): string[][] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, member]) => [[...path, key], ...steps(member, [...path, key])])
        : []
    const places = steps(face, [])
    expect(places.length).toBeGreaterThan(30)
    for (const place of places) {
      const copy = structuredClone(face)
      const parent = place.slice(0, -1).reduce<Json>((at, key) => at[key], copy)
      parent[place.at(-1) ?? ''] = 'other'
      seen.add(interfaceFingerprint(copy))
    }
    expect(seen.size).toBe(places.length + 1)
  })

  it('is null without an interface', () => {
    expect([interfaceFingerprint(null), interfaceFingerprint(undefined)]).toEqual([null, null])
  })
})

import { describe, expect, it } from 'vitest'
import { plateauOf } from './soak/plateau.ts'

const curve = (value: (at: number) => number) => Array.from({ length: 61 }, (_, at) => ({ at, value: value(at) }))

describe('the plateau of a curve', () => {
  it('is flat where the last third is, however much was added before', () => {
    expect(plateauOf(curve((at) => 400 + Math.min(at, 30) * 10)).isFlat).toBe(true)
  })

  it('is not flat where the last third grows by more than a tenth an hour', () => {
    const { slope, isFlat } = plateauOf(curve((at) => 400 + at * 2))
    expect(slope).toBeCloseTo(120)
    expect(isFlat).toBe(false)
  })

  it('takes the saw of a collector for no growth, and less at the end for none either', () => {
    expect(plateauOf(curve((at) => 400 + (at % 5) * 10)).isFlat).toBe(true)
    expect(plateauOf(curve((at) => 600 - at * 3)).isFlat).toBe(true)
  })
})

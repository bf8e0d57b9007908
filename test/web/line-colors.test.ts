/** Lines of a chart are told apart in light and dark, and by people who do not see red and green apart. */
import { expect, it } from 'vitest'
import { COMPARED } from '../../web/src/pages/runs/compared.ts'
import { lineColors } from '../../web/src/ui/line-colors.ts'

type Triple = readonly [number, number, number]
type Matrix = readonly [Triple, Triple, Triple]

/** `--surface` of web/src/ui/tokens.css. */
const surfaces = ['#ffffff', '#171b21']

/** What is left of linear RGB without long, or without middle cones (Machado, Oliveira and Fernandes, 2009; severity 1). */
const visions: readonly Matrix[] = [
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
]

const dot = (row: Triple, [r, g, b]: Triple) => row[0] * r + row[1] * g + row[2] * b
const times = (matrix: Matrix, color: Triple): Triple => [
  dot(matrix[0], color),
  dot(matrix[1], color),
  dot(matrix[2], color),
]

function linear(hex: string): Triple {
  const part = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [part(1), part(3), part(5)]
}

const luminance = (hex: string) => dot([0.2126, 0.7152, 0.0722], linear(hex))
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function lab(seen: Triple): Triple {
  const f = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116)
  const bounded = seen.map((value) => Math.min(1, Math.max(0, value))) as unknown as Triple
  const x = f(dot([0.4124, 0.3576, 0.1805], bounded) / 0.95047)
  const y = f(dot([0.2126, 0.7152, 0.0722], bounded))
  const z = f(dot([0.0193, 0.1192, 0.9505], bounded) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

function distance(one: string, other: string, vision: Matrix): number {
  const [a, b] = [lab(times(vision, linear(one))), lab(times(vision, linear(other)))]
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}

it('there is one for each run that can be compared', () => {
  expect(new Set(lineColors).size).toBeGreaterThanOrEqual(COMPARED)
})

it.each(lineColors)('%s stands out from both surfaces', (color) => {
  for (const surface of surfaces) expect(contrast(color, surface)).toBeGreaterThanOrEqual(3)
})

it.each(lineColors)('%s is told apart from every other one', (color) => {
  for (const other of lineColors.filter((one) => one !== color))
    for (const vision of visions)
      expect([other, distance(color, other, vision)]).toEqual([other, expect.toSatisfy((is: number) => is >= 20)])
})

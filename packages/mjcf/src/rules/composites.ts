import type { Spec, SpecObject } from '../compose/types.ts'
import { wordsOf } from '../grammar/values.ts'
import type { XmlElement } from '../xml/element.ts'
import { alone, given, isZero, numberOf, numbersIn, vectorOf } from './fields.ts'
import { isCondim } from './geoms.ts'
import { isLimited, needsLimited } from './limited.ts'
import type { Report } from './report.ts'
import { compilerFor } from './settings.ts'

/**
 * Checks cables. Each piece has one geom, whose size and mass are given in the composite and which ignores default
 * classes.
 */
export function checkComposites(spec: Spec, report: Report): void {
  const seen = new Set<XmlElement>()
  for (const geom of spec.of('geom')) {
    if (geom.element.name !== 'composite' || seen.has(geom.element)) continue
    seen.add(geom.element)
    if (hasOddPiece(geom.element)) {
      const message = 'The composite has two points in a row at one place, or infinitely far apart.'
      report.fault({ rule: 'points', kind: 'compile' }, geom.element, message, {
        hint: 'See its vertex, or its curve and size.',
      })
    }
    const second = geom.element.children.filter(({ name }) => name === 'joint')[1]
    if (second) report.fault({ rule: 'joints', kind: 'compile' }, second, 'A cable composite has one kind of joint.')
    for (const child of geom.element.children) checkChild(spec, geom, child, report)
  }
}

/**
 * Whether two neighbouring points coincide, or the piece between them is not finite. Looks at the written points, or at
 * those of the curve.
 */
function hasOddPiece(element: XmlElement): boolean {
  const written = numbersIn(element.attributes.get('vertex'))
  const points = written.length > 0 ? written : curvePoints(element)
  for (let at = 3; at + 2 < points.length; at += 3) {
    const piece = [0, 1, 2].map((i) => (points[at + i] as number) - (points[at + i - 3] as number))
    if (isZero(piece) || !piece.every(Number.isFinite)) return true
  }
  return false
}

function curvePoints(element: XmlElement): number[] {
  const own = alone(element)
  const [length = 1, radius = 0, turns = 0] = vectorOf(own, 'size', [1, 0, 0])
  const count = numberOf(own, 'count', 1)
  const curve = wordsOf(element.attributes.get('curve') ?? '')
  const points: number[] = []
  for (let i = 0; i < Math.min(count, MAX_POINTS); i++) {
    const part = i / (count - 1)
    for (const k of [0, 1, 2]) {
      const shape = curve[k] ?? '0'
      const angle = Math.PI * part * turns
      if (shape === 's') points.push(part * length)
      else if (shape === 'cos(s)') points.push(radius * Math.cos(angle))
      else points.push(shape === 'sin(s)' ? radius * Math.sin(angle) : 0)
    }
  }
  return points
}

/** Curves are smooth, so a sample of this many points is enough. */
const MAX_POINTS = 1_000

function checkChild(spec: Spec, geom: SpecObject, child: XmlElement, report: Report): void {
  const compiler = compilerFor(spec, geom)
  const own = alone(child)
  const refused = (rule: string, predicate: string) =>
    report.fault({ rule, kind: 'compile' }, child, `The <${child.name}> of a composite ${predicate}.`)
  const { attributes } = child
  if (child.name === 'geom' || child.name === 'site') {
    const place = { category: 'geom' as const, name: '', element: child }
    if (!spec.compiler.discardvisual) report.optional(place, 'material', 'material', attributes.get('material') ?? '')
  }
  if (child.name === 'geom') {
    const size = vectorOf(own, 'size', [0, 0, 0])
    // The length of a piece replaces one of the three sizes.
    const box = attributes.get('type') === 'box'
    const needed = box ? size.slice(1) : size.slice(0, 1)
    const odd = Number.isNaN(size[2]) || needed.some((value) => !(value > 0))
    if (odd) refused('size', 'has a size that is not positive')
    if (!isCondim(numberOf(own, 'condim', 3))) refused('condim', 'has a condim other than 1, 3, 4 or 6')
    const [from, to] = compiler.inertiagrouprange
    const group = numberOf(own, 'group', 0)
    const heavy = given(own, 'mass') ? numberOf(own, 'mass', 0) : numberOf(own, 'density', 1000)
    if (heavy === 0 || group < from || group > to) refused('mass', 'has no mass, and its pieces move')
    else if (heavy < 0) refused('mass', 'has a negative mass or density')
  } else if (child.name === 'site') {
    if (numberOf(own, 'size', 0.005) <= 0) refused('size', 'has a size that is not positive')
  } else if (child.name === 'joint') {
    // Its own `limited` is never read.
    const range = vectorOf(own, 'range', [0, 0]) as [number, number]
    if (needsLimited('auto', range, compiler.autolimits)) refused('limited', 'has a range, and autolimits is off')
    else if (isLimited('auto', range) && range[0] !== 0) refused('range', 'has a range that does not begin with 0')
  }
}

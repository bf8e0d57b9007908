import type { Spec, SpecObject, SpecPart } from '../compose/types.ts'
import { articled, numberOf, numbersIn, textOf, vectorOf, within } from './fields.ts'
import { isLimited, needsLimited } from './limited.ts'
import type { Report } from './report.ts'
import { compilerFor } from './settings.ts'
import { shapeOf } from './shapes.ts'
import { checkLasting } from './visuals.ts'

/** Checks tendons: the objects on their paths, their order, and limits. */
export function checkTendons(spec: Spec, report: Report): void {
  for (const tendon of spec.of('tendon')) {
    checkPath(spec, tendon, report)
    checkLimits(spec, tendon, report)
  }
}

function checkPath(spec: Spec, tendon: SpecObject, report: Report): void {
  const { parts } = tendon
  checkLasting(spec, tendon, 'material', report)
  if (parts.length === 0) {
    report.refused(tendon, 'path', 'has an empty path')
    return
  }
  for (const part of parts) checkPart(tendon, part, report)
  if (parts[0]?.element.name === 'joint') return
  const predicate = pathFault(parts) ?? widthFault(tendon, parts)
  if (predicate !== null) report.refused(tendon, 'path', predicate)
}

function checkPart(tendon: SpecObject, { element, name, side }: SpecPart, report: Report): void {
  const at = within(tendon, element)
  if (element.name === 'pulley') {
    const [divisor = 0] = numbersIn(element.attributes.get('divisor'))
    if (divisor < 0) report.refused(at, 'divisor', `has a pulley with the divisor ${divisor}, which cannot be negative`)
    return
  }
  const found = report.target(at, element.name, element.name as 'joint' | 'site' | 'geom', name)
  if (element.name !== 'geom') return
  report.optional(at, 'sidesite', 'site', side)
  if (found === undefined || found.made) return
  const { type } = shapeOf(found, [0, 0, 0])
  if (type !== 'sphere' && type !== 'cylinder') {
    report.refused(
      at,
      'wrap',
      `wraps around the geom "${name}", ${articled(type)}; it can only wrap around spheres and cylinders`,
    )
  }
}

/** Why the order of a spatial path is invalid; null if it is valid. */
function pathFault(parts: readonly SpecPart[]): string | null {
  if (parts.length < 2) return 'has a spatial path of one object, and it needs two at least'
  const kinds = parts.map(({ element }) => element.name)
  for (const [i, kind] of kinds.entries()) {
    const before = kinds[i - 1] ?? 'pulley'
    const after = kinds[i + 1] ?? 'pulley'
    if (kind === 'pulley') {
      if (kinds[i - 1] === 'pulley') return 'has two pulleys in a row'
      if (i === kinds.length - 1) return 'has a path that ends with a pulley'
    } else if (kind === 'site') {
      if (before === 'pulley' && after === 'pulley') return `has the site "${parts[i]?.name}" alone on its branch`
      if (after === 'site' && parts[i]?.name === parts[i + 1]?.name)
        return `goes to the site "${parts[i]?.name}" twice in a row`
    } else if (before !== 'site' || after !== 'site') {
      return `wraps around the geom "${parts[i]?.name}", which must stand between two sites`
    }
  }
  return null
}

function widthFault(tendon: SpecObject, parts: readonly SpecPart[]): string | null {
  if (numberOf(tendon, 'width', 0.003) <= 0) return 'has a width that is not positive'
  const armature = numberOf(tendon, 'armature', 0)
  if (armature < 0) return 'has a negative armature'
  const wraps = parts.some(({ element }) => element.name === 'geom')
  return armature > 0 && wraps ? 'has armature, which a path that wraps around geoms cannot have' : null
}

function checkLimits(spec: Spec, tendon: SpecObject, report: Report): void {
  const { autolimits } = compilerFor(spec, tendon)
  const range = vectorOf(tendon, 'range', [0, 0]) as [number, number]
  const limited = textOf(tendon, 'limited', 'auto')
  if (needsLimited(limited, range, autolimits)) {
    report.refused(tendon, 'limited', 'has a range but no limited, and autolimits is off')
  } else if (isLimited(limited, range) && range[0] >= range[1]) {
    report.refused(tendon, 'range', `has the range ${range.join(' ')}, which is not ascending`)
  }
  const force = vectorOf(tendon, 'actuatorfrcrange', [0, 0]) as [number, number]
  const forced = textOf(tendon, 'actuatorfrclimited', 'auto')
  if (needsLimited(forced, force, autolimits)) {
    report.refused(
      tendon,
      'actuatorfrclimited',
      'has an actuatorfrcrange but no actuatorfrclimited, and autolimits is off',
    )
  } else if (isLimited(forced, force) && (force[0] >= force[1] || force[0] > 0 || force[1] < 0)) {
    report.refused(
      tendon,
      'actuatorfrcrange',
      `has the actuatorfrcrange ${force.join(' ')}, which must ascend through 0`,
    )
  }
  const springs = springlength(tendon)
  if (springs[0] > springs[1])
    report.refused(tendon, 'springlength', `has the springlength ${springs.join(' ')}, which descends`)
}

/** A single number sets both values, in every layer. */
function springlength(tendon: SpecObject): [number, number] {
  const numbers = numbersIn(textOf(tendon, 'springlength', '-1 -1'))
  const [low = -1, high = low] = numbers
  return [low, high]
}

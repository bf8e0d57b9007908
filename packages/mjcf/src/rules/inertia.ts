/** Mass and inertia of bodies, as far as the text determines them. Those of meshes depend on files. */
import type { Compiler } from '../compiler.ts'
import type { Spec, SpecBody, SpecObject } from '../compose/types.ts'
import { alone, EPSILON, given, numberOf, numbersIn, textOf, vectorOf } from './fields.ts'
import { geomInertia, type Inertia } from './geom-inertia.ts'
import { orientationFault } from './orientation.ts'
import type { Report } from './report.ts'
import { compilerFor } from './settings.ts'
import { eigenvalues } from './symmetric.ts'

/** The smallest mass and inertia that a moving body may have. */
const LEAST = 1e-15

/** Null if the value depends on the data of a mesh. */
type Known = Inertia | null

/** Checks the inertia of each body, then that all moving bodies have some. */
export function checkInertia(spec: Spec, report: Report): void {
  const known = new Map<SpecBody, Known>()
  for (const body of spec.bodies) if (body !== spec.world) known.set(body, bodyInertia(spec, body, report))
  for (const body of spec.bodies) {
    if (body === spec.world || body.joints.length === 0 || isMassive(spec, body, known)) continue
    const hint =
      'Give it a geom with mass or an inertial with mass and inertia, or a child body that has one and no joint.'
    report.refused(body, 'mass', 'moves and has no mass and inertia', hint)
  }
}

/**
 * MuJoCo's rule: the body, or a body below it without joints, must have mass and inertia. Unknown values count as
 * present.
 */
function isMassive(spec: Spec, body: SpecBody, known: ReadonlyMap<SpecBody, Known>): boolean {
  const inertia = known.get(body)
  if (inertia === null || inertia === undefined) return true
  if (inertia.mass >= LEAST && inertia.inertia.every((value) => value >= LEAST)) return true
  const below = body.bodies.filter(({ joints }) => joints.length === 0)
  if (!spec.compiler.fusestatic) return below.some((child) => isMassive(spec, child, known))
  // Fused bodies are added up, and at a distance from each other even point masses have inertia. A rotation of NaN
  // makes the sum NaN: such a body fails, and such a child adds nothing.
  if (!isTurned(body)) return false
  const adds = (child: SpecBody) => (known.get(child)?.mass ?? 1) >= LEAST && isTurned(child)
  if (below.some(adds)) return true
  return below.some((child) => isMassive(spec, child, known))
}

/** Whether the rotation of the inertia is finite. */
function isTurned({ inertial }: SpecBody): boolean {
  return numbersIn(inertial?.attributes.get('quat')).every(Number.isFinite)
}

function bodyInertia(spec: Spec, body: SpecBody, report: Report): Known {
  const compiler = compilerFor(spec, body)
  const inferred = geomsInertia(body, compiler, report)
  const written = body.inertial === null ? NOTHING : writtenInertia(body, compiler, report)
  // Composites and flexcomps set the masses of the bodies that they create.
  if (body.made || written === undefined) return null
  const { inertiafromgeom } = compiler
  const fromGeoms = inertiafromgeom === 'true' || (body.inertial === null && inertiafromgeom === 'auto')
  const chosen = fromGeoms && inferred !== 'none' ? inferred : written
  return chosen === null ? null : checked(body, chosen, compiler, report)
}

const UNKNOWABLE: Inertia = { mass: Number.POSITIVE_INFINITY, inertia: [Number.NaN, Number.NaN, Number.NaN] }

const NOTHING: Inertia = { mass: 0, inertia: [0, 0, 0] }

function checked(body: SpecBody, { mass, inertia }: Inertia, compiler: Compiler, report: Report): Inertia {
  // NaN violates no limit.
  const atLeast = (value: number, bound: number) => (value < bound ? bound : value)
  const bounded = inertia.map((value) => atLeast(value, compiler.boundinertia)) as [number, number, number]
  const heavy = atLeast(mass, compiler.boundmass)
  if (heavy < 0 || bounded.some((value) => value < 0))
    report.refused(body, 'negative', 'has a negative mass or inertia')
  else if (!compiler.balanceinertia && violatesTriangle(bounded)) {
    const hint = 'Correct it, or set balanceinertia="true" in the compiler element.'
    report.refused(
      body,
      'triangle',
      `has the inertia ${bounded.join(' ')}, where one is more than the two others together`,
      hint,
    )
  }
  return { mass: heavy, inertia: bounded }
}

function violatesTriangle([a, b, c]: readonly [number, number, number]): boolean {
  return a + b < c || a + c < b || b + c < a
}

/**
 * The mass and inertia of `<inertial>`; undefined if it is rejected. MuJoCo rotates a `fullinertia` to its principal
 * axes, after the rotation of a `quat` if there is one, and that rounds. So a value so close to a limit that rounding
 * may decide passes.
 */
function writtenInertia(body: SpecBody, { eulerseq }: Compiler, report: Report): Inertia | undefined {
  const inertial = alone(body.inertial as NonNullable<SpecBody['inertial']>)
  const refused = (rule: string, predicate: string) => {
    report.fault(
      { rule, kind: 'compile' },
      inertial.element,
      `The inertial of ${body.name === '' ? 'an unnamed body' : `"${body.name}"`} ${predicate}.`,
    )
    return undefined
  }
  const fault = orientationFault(inertial, eulerseq)
  if (fault !== null) return refused('orientation', fault)
  const mass = numberOf(inertial, 'mass', 0)
  const diagonal = vectorOf(inertial, 'diaginertia', [0, 0, 0]) as [number, number, number]
  if (!given(inertial, 'fullinertia')) return { mass, inertia: diagonal }
  if (diagonal.some((value) => value !== 0)) return refused('fullinertia', 'has both a fullinertia and a diaginertia')
  const full = numbersIn(textOf(inertial, 'fullinertia', ''))
  if (full.length !== 6) return undefined
  if (!full.every(Number.isFinite)) return { ...UNKNOWABLE, mass }
  const values = eigenvalues(full as [number, number, number, number, number, number])
  const largest = Math.max(...values.map(Math.abs))
  const rounding = full.slice(3).some((value) => value !== 0)
    ? 1e-13 * largest
    : given(inertial, 'quat')
      ? 4e-15 * largest
      : 0
  const least = Math.min(...values)
  if (least < EPSILON - rounding) return refused('fullinertia', 'has a fullinertia that is not positive definite')
  const [a, b, c] = values.toSorted((one, other) => one - other) as [number, number, number]
  if (a + b < c - rounding) return { mass, inertia: values }
  // An accepted value is not zero.
  const isUnsure = least < EPSILON + rounding || a + b - c < rounding
  return { mass, inertia: isUnsure ? SOME.inertia : values }
}

/**
 * The inertia computed from geoms; `none` if no geom contributes; null if a mesh or the sum of several geoms would be
 * needed.
 */
function geomsInertia(body: SpecBody, compiler: Compiler, report: Report): Known | 'none' {
  const [from, to] = compiler.inertiagrouprange
  const infers = body.inertial === null || compiler.inertiafromgeom === 'true'
  const parts: Known[] = []
  for (const geom of body.geoms) {
    const group = numberOf(geom, 'group', 0)
    if (geom.made) parts.push(null)
    else if (infers && group >= from && group <= to) parts.push(partOf(geom, report))
  }
  const counted = parts.filter((part) => part === null || part.mass > EPSILON)
  if (counted.length === 0) return 'none'
  const [first = null] = counted
  if (counted.length === 1) return first
  // Infinite masses have no center.
  if (counted.some((part) => part !== null && !Number.isFinite(part.mass))) return UNKNOWABLE
  return counted.some((part) => part?.inertia.every((value) => value > 2 * EPSILON)) || counted.includes(null)
    ? SOME
    : null
}

/**
 * Several geoms together have more inertia than any single one and always satisfy the triangle inequality, so the exact
 * sum does not matter.
 */
const SOME: Inertia = { mass: 1, inertia: [1, 1, 1] }

function partOf(geom: SpecObject, report: Report): Known {
  const part = geomInertia(geom, geom.ref('mesh') !== '')
  if (part === 'negative') {
    report.refused(geom, 'negative', 'has a negative mass or density')
    return null
  }
  return part
}

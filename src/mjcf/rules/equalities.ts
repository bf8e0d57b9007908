import type { Spec, SpecCategory, SpecJoint, SpecObject } from '../spec/types.ts'
import { numberOf } from './fields.ts'
import { isCondim } from './geoms.ts'
import type { Report } from './report.ts'
import { isWritten } from './settings.ts'

/** Equality constraints, contact pairs and excludes. */
export function checkConstraints(spec: Spec, report: Report): void {
  for (const equality of spec.of('equality')) if (isWritten(equality)) checkEquality(spec, equality, report)
  for (const pair of spec.of('pair')) checkPair(pair, report)
  for (const exclude of spec.of('exclude')) {
    if (!isWritten(exclude)) continue
    for (const attribute of ['body1', 'body2']) report.target(exclude, attribute, 'body', exclude.ref(attribute))
  }
}

/** What an equality constrains: the category, and the attributes that name the two. */
function subjects({ element }: SpecObject): { category: SpecCategory; names: readonly [string, string] } {
  const has = (name: string) => element.attributes.has(name)
  switch (element.name) {
    case 'connect':
    case 'weld': {
      const bodies = has('body1') && (element.name === 'weld' || has('anchor'))
      return bodies ? { category: 'body', names: ['body1', 'body2'] } : { category: 'site', names: ['site1', 'site2'] }
    }
    case 'joint':
      return { category: 'joint', names: ['joint1', 'joint2'] }
    case 'tendon':
      return { category: 'tendon', names: ['tendon1', 'tendon2'] }
    default:
      return { category: 'flex', names: ['flex', 'flex2'] }
  }
}

function checkEquality(spec: Spec, equality: SpecObject, report: Report): void {
  const { category, names } = subjects(equality)
  const [first, second] = names.map((name) => report.target(equality, name, category, equality.ref(name)))
  if (first === undefined) return
  const other = second ?? (category === 'body' && equality.ref(names[1]) === '' ? spec.world : undefined)
  if (first === other) report.refused(equality, 'same', `constrains the ${category} "${first.name}" to itself`)
  if (category !== 'joint') return
  for (const joint of [first, second] as (SpecJoint | undefined)[]) {
    if (joint !== undefined && joint.type !== 'hinge' && joint.type !== 'slide') {
      report.refused(equality, 'scalar', `constrains the ${joint.type} joint "${joint.name}"; it can hinges and slides`)
    }
  }
}

function checkPair(pair: SpecObject, report: Report): void {
  const condim = numberOf(pair, 'condim', 3)
  if (!isCondim(condim)) report.refused(pair, 'condim', `has condim ${condim}; it is 1, 3, 4 or 6`)
  for (const attribute of ['geom1', 'geom2']) {
    const name = pair.ref(attribute)
    if (name === '') report.refused(pair, attribute, `names no ${attribute}`)
    else report.target(pair, attribute, 'geom', name)
  }
}

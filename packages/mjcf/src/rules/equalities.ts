import { EXCLUDE_TARGETS, equalityTargets, PAIR_TARGETS } from '../compose/targets.ts'
import type { Spec, SpecJoint, SpecObject } from '../compose/types.ts'
import { numberOf } from './fields.ts'
import { isRigid } from './flexes.ts'
import { isCondim } from './geoms.ts'
import type { Report } from './report.ts'

/** Checks equality constraints, contact pairs and excludes. */
export function checkConstraints(spec: Spec, report: Report): void {
  for (const equality of spec.of('equality')) if (!equality.made) checkEquality(spec, equality, report)
  for (const pair of spec.of('pair')) {
    const condim = numberOf(pair, 'condim', 3)
    if (!isCondim(condim)) report.refused(pair, 'condim', `has condim ${condim}; it is 1, 3, 4 or 6`)
    for (const { attribute, category } of PAIR_TARGETS) report.target(pair, attribute, category, pair.ref(attribute))
  }
  for (const exclude of spec.of('exclude')) {
    if (exclude.made) continue
    for (const { attribute, category } of EXCLUDE_TARGETS) {
      report.target(exclude, attribute, category, exclude.ref(attribute))
    }
  }
}

function checkEquality(spec: Spec, equality: SpecObject, report: Report): void {
  const [one, other] = equalityTargets(equality.element)
  if (one === undefined) return
  const { category } = one
  const first = report.target(equality, one.attribute, category, equality.ref(one.attribute))
  const second = other && report.optional(equality, other.attribute, category, equality.ref(other.attribute))
  if (category === 'site' && other && equality.ref(other.attribute) === '') {
    report.refused(equality, 'second', 'names no second site')
  }
  if (first === undefined) return
  const toWorld = category === 'body' && other !== undefined && equality.ref(other.attribute) === ''
  if (first === (toWorld ? spec.world : second)) {
    report.refused(equality, 'same', `constrains the ${category} "${first.name}" to itself`)
  }
  if (category === 'flex' && isRigid(first)) {
    report.refused(equality, 'rigid', `constrains the flex "${first.name}", which is rigid`)
  }
  if (category !== 'joint') return
  for (const joint of [first, second] as (SpecJoint | undefined)[]) {
    if (joint !== undefined && joint.type !== 'hinge' && joint.type !== 'slide') {
      report.refused(
        equality,
        'scalar',
        `constrains the ${joint.type} joint "${joint.name}"; it can only hold hinges and slides`,
      )
    }
  }
}

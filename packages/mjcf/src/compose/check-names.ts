import type { Building } from './building.ts'
import { LIST_CATEGORIES } from './draft.ts'
import { reportTwice } from './report-twice.ts'
import type { Spec, SpecCategory, SpecObject } from './types.ts'

const TREE_CATEGORIES: readonly SpecCategory[] = ['body', 'frame', 'joint', 'geom', 'site', 'camera', 'light']

/** Names of one category are unique in the whole model; assets have one. */
export function checkNames(spec: Spec, building: Building): void {
  for (const category of [...TREE_CATEGORIES, ...LIST_CATEGORIES])
    checkUnique(objectsOf(spec, category), category, building)
  const keys = spec.keys.map(({ name, element }) => ({ name, element: element ?? spec.loaded.root }))
  checkUnique(keys, 'key', building)
  for (const category of ['mesh', 'hfield', 'texture', 'material'] as const) {
    for (const object of spec.of(category)) {
      if (object.name !== '' || (category === 'texture' && object.attr('type') === 'skybox')) continue
      building.faults.add('name', object.element, `A ${category} has no name, and no file to take one from.`, {
        hint: 'Give it a name that others can refer to.',
      })
    }
  }
}

function objectsOf(spec: Spec, category: SpecCategory): readonly SpecObject[] {
  if (category === 'body') return spec.bodies
  return category === 'joint' ? spec.joints : category === 'key' ? [] : spec.of(category)
}

function checkUnique(
  objects: readonly Pick<SpecObject, 'name' | 'element'>[],
  category: SpecCategory,
  building: Building,
): void {
  const seen = new Set<string>()
  for (const { name, element } of objects) {
    if (name !== '' && seen.has(name)) reportTwice(building, category, name, element)
    seen.add(name)
  }
}

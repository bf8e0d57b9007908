import { getNamedType, isInputObjectType, isObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'

/** Ids that others give: the hub neither makes nor follows them. */
const foreign = ['hostedCallId', 'rolloutId', 'checkId']

/** Each argument and input field, under the name of what takes it. */
function* taken() {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) yield [type.name, field] as const
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields()))
      for (const argument of field.args) yield [`${type.name}.${field.name}`, argument] as const
  }
}

it('an id of the hub is taken as ID, wherever it is taken', () => {
  const ids = [...taken()].filter(([, { name }]) => /^id$|Id$/.test(name) && !foreign.includes(name))
  expect(ids.length).toBeGreaterThan(15)
  const others = ids.filter(([, { type }]) => getNamedType(type).name !== 'ID')
  expect(others.map(([owner, { name }]) => `${owner}: ${name}`)).toEqual([])
})

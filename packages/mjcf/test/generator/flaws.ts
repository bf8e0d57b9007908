/**
 * One or two things wrong with a generated model, of the kinds that people and programs get wrong. MuJoCo decides
 * whether they matter.
 */

import type { Random } from '@hub/testing/random'
import type { Files } from './model.ts'
import { type Tag, tag, walk } from './tag.ts'

type Flaw = (tags: Found[], random: Random, files: Files) => void
type Found = { readonly tag: Tag; readonly parent: Tag | null }

/** Changes the model or its files in place. */
export function flawed(root: Tag, files: Files, random: Random): void {
  const count = random.pick([1, 1, 1, 2])
  for (let i = 0; i < count; i++) {
    const below = [...walk(root)].filter(({ parent }) => parent !== null)
    if (below.length > 0) random.pick(flaws)(below, random, files)
  }
}

const withAttributes = (tags: Found[]) => tags.filter((found) => Object.keys(found.tag.attributes).length > 0)

const changeAttribute = (tags: Found[], random: Random, change: (found: Tag, name: string) => void) => {
  const candidates = withAttributes(tags)
  if (candidates.length === 0) return
  const { tag: chosen } = random.pick(candidates)
  change(chosen, random.pick(Object.keys(chosen.attributes)))
}

const flaws: readonly Flaw[] = [
  // An attribute less.
  (tags, random) => changeAttribute(tags, random, (chosen, name) => void delete chosen.attributes[name]),
  // An attribute that the element may or may not have.
  (tags, random) => {
    const donors = withAttributes(tags)
    if (donors.length === 0) return
    const donor = random.pick(donors).tag
    const name = random.pick(Object.keys(donor.attributes))
    random.pick(tags).tag.attributes[name] = donor.attributes[name] ?? ''
  },
  // A word or a number misspelt.
  (tags, random) =>
    changeAttribute(tags, random, (chosen, name) => {
      const value = chosen.attributes[name] ?? ''
      chosen.attributes[name] = random.pick([
        '',
        `${value} `,
        ` ${value}`,
        `${value} 1`,
        `${value}x`,
        value.split(' ').slice(1).join(' '),
        value.toUpperCase(),
        value.replace(/^./, '-'),
        'nan',
        '1e999',
        '0',
        '0 0 0',
        '1,2',
        'constructor',
      ])
    }),
  // A name that another object of its kind has.
  (tags, random) => {
    const named = tags.filter(({ tag: { attributes } }) => attributes.name !== undefined)
    if (named.length < 2) return
    const one = random.pick(named).tag
    const alike = named.filter(({ tag: other }) => other !== one && other.name === one.name)
    if (alike.length > 0) one.attributes.name = random.pick(alike).tag.attributes.name ?? ''
  },
  // An element twice.
  (tags, random) => {
    const { tag: chosen, parent } = random.pick(tags)
    parent?.children.push(structuredClone(chosen))
  },
  // An element less.
  (tags, random) => {
    const { tag: chosen, parent } = random.pick(tags)
    parent?.children.splice(parent.children.indexOf(chosen), 1)
  },
  // An element in another's place.
  (tags, random) => {
    const { tag: chosen, parent } = random.pick(tags)
    const inside = new Set([...walk(chosen)].map((found) => found.tag))
    const elsewhere = tags.filter((found) => !inside.has(found.tag))
    if (!parent || elsewhere.length === 0) return
    parent.children.splice(parent.children.indexOf(chosen), 1)
    random.pick(elsewhere).tag.children.push(chosen)
  },
  // Another element's name.
  (tags, random) => {
    random.pick(tags).tag.name = random.pick([random.pick(tags).tag.name, 'thing', 'Body', 'toString'])
  },
  (tags, random) => void random.pick(tags).tag.children.push(tag('thing')),
  // Values that are right somewhere else.
  (tags, random) =>
    changeAttribute(tags, random, (chosen, name) => {
      const same = tags.flatMap(({ tag: { attributes } }) => attributes[name] ?? [])
      if (same.length > 0) chosen.attributes[name] = random.pick(same)
    }),
  // A file less, or an empty one.
  (_tags, random, files) => {
    const paths = Object.keys(files).sort()
    if (paths.length === 0) return
    const path = random.pick(paths)
    if (random.chance(0.7)) delete files[path]
    else files[path] = ''
  },
]
